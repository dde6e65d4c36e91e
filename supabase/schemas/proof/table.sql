-- Who observed it, weakest first: the agent says so, the worker program ran the command and saw the exit code, another
-- worker checked a clean checkout, continuous integration, a person. Compared with < and >= (docs/proof.md).
create type public.evidence_grade as enum ('said', 'worker', 'other_worker', 'ci', 'person');

-- What a piece of evidence says of its criterion (docs/proof.md).
create type public.evidence_verdict as enum ('pass', 'fail', 'unverifiable');

-- What a piece of evidence is (docs/proof.md).
create type public.evidence_kind as enum ('command', 'diff', 'file', 'picture', 'link', 'person');

-- One criterion of a story and its state (docs/proof.md).
create type private.proven_criterion as (
  story_id uuid,
  place integer,
  id text,
  kind text,
  text text,
  state text,
  grade public.evidence_grade,
  evidence_id uuid
);

-- Evidence for or against a criterion of a story. Append-only: nothing is removed, and a later line outweighs an
-- earlier one; only a request for changes marks evidence of the rejected work (private.void_proof). The criterion is
-- identified by the hash of its line and also kept as text, because the line may be edited later.
create table public.evidence (
  id uuid primary key default gen_random_uuid(),
  product_id uuid not null references public.products (id) on delete cascade,
  story_id uuid not null references public.stories (id) on delete cascade,
  seq bigint generated always as identity,
  criterion text not null constraint evidence_criterion_form check (criterion ~ '^[0-9a-f]{12}$'),
  criterion_text text not null,
  verdict public.evidence_verdict not null,
  grade public.evidence_grade not null,
  kind public.evidence_kind not null,
  command text constraint evidence_command_length check (char_length(command) <= 2000),
  exit_code integer,
  base_exit_code integer,
  guards boolean not null default false,
  passed_before boolean not null default false,
  excerpt text constraint evidence_excerpt_size check (octet_length(excerpt) <= 8192),
  url text constraint evidence_url_form check (url ~ '^https?://' and char_length(url) <= 2000),
  file_id uuid references public.files (id) on delete set null,
  base_file_id uuid references public.files (id) on delete set null,
  head_sha text constraint evidence_head_sha_length check (char_length(head_sha) <= 64),
  job_id uuid,
  attempt integer,
  worker_id uuid references public.agent_workers (id) on delete set null,
  user_id uuid references public.users (id) on delete set null,
  observed_by text not null,
  voided_by text,
  created_at timestamptz not null default private.now(),
  constraint evidence_person check ((grade = 'person') = (kind = 'person'))
);

comment on table public.evidence is 'Evidence for the criteria of stories, append-only (docs/proof.md).';
comment on column public.evidence.observed_by is 'Name of the worker or person who saw it, as it was then.';
comment on column public.evidence.base_exit_code is 'How the same command ended without the work; null where it was not run there.';
comment on column public.evidence.file_id is 'A picture or recording that shows it.';
comment on column public.evidence.base_file_id is 'The same file without the change, for comparison.';
comment on column public.evidence.guards is 'The command keeps what worked before from breaking, such as a whole test suite.';
comment on column public.evidence.passed_before is 'The command passes without the work as well: it proves nothing.';
comment on column public.evidence.voided_by is 'Name, at that time, of the person who requested changes of the work it was seen in. It no longer proves anything.';
create index evidence_story_id_idx on public.evidence (story_id, criterion, seq);
create index evidence_product_id_idx on public.evidence (product_id);
create index evidence_file_id_idx on public.evidence (file_id) where file_id is not null;
create index evidence_base_file_id_idx on public.evidence (base_file_id) where base_file_id is not null;
create index evidence_job_id_idx on public.evidence (job_id);
create index evidence_worker_id_idx on public.evidence (worker_id);
create index evidence_user_id_idx on public.evidence (user_id);

alter table public.evidence enable row level security;

create policy evidence_select on public.evidence for select to authenticated
  using (product_id in (select private.accessible_product_ids()));
grant select on public.evidence to authenticated;

-- The head of a story's work and its attempt: evidence of another commit and another attempt is stale.
create table public.story_heads (
  story_id uuid primary key references public.stories (id) on delete cascade,
  head_sha text not null constraint story_heads_head_sha_length check (char_length(head_sha) <= 64),
  job_id uuid,
  attempt integer not null,
  moved_at timestamptz not null default private.now()
);

comment on table public.story_heads is 'Latest commit of a story''s work (docs/proof.md).';
create index story_heads_job_id_idx on public.story_heads (job_id);

alter table public.story_heads enable row level security;

create policy story_heads_select on public.story_heads for select to authenticated
  using (exists (select from public.stories s
    where s.id = story_heads.story_id and s.product_id in (select private.accessible_product_ids())));
grant select on public.story_heads to authenticated;

-- A person may decide that a criterion needs no proof. Who, when and why is kept forever; it cannot be undone.
create table public.waivers (
  id uuid primary key default gen_random_uuid(),
  product_id uuid not null references public.products (id) on delete cascade,
  story_id uuid not null references public.stories (id) on delete cascade,
  criterion text not null constraint waivers_criterion_form check (criterion ~ '^[0-9a-f]{12}$'),
  criterion_text text not null,
  reason text not null constraint waivers_reason_length check (char_length(reason) between 1 and 2000),
  user_id uuid references public.users (id) on delete set null,
  waived_by text not null,
  created_at timestamptz not null default private.now(),
  constraint waivers_story_id_criterion_key unique (story_id, criterion)
);

comment on table public.waivers is 'Criteria that a person waived, with the reason (docs/proof.md).';
create index waivers_product_id_idx on public.waivers (product_id);
create index waivers_user_id_idx on public.waivers (user_id);

alter table public.waivers enable row level security;

create policy waivers_select on public.waivers for select to authenticated
  using (product_id in (select private.accessible_product_ids()));
grant select on public.waivers to authenticated;
