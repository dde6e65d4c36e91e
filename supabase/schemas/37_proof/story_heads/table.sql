-- Why: evidence is valid for the commit it was observed at. This is the head of a story's work and the attempt that
-- produced it; evidence of another commit and another attempt is stale.
create table public.story_heads (
  story_id uuid primary key references public.stories (id) on delete cascade,
  head_sha text not null constraint story_heads_head_sha_length check (char_length(head_sha) <= 64),
  job_id uuid,
  attempt integer not null,
  moved_at timestamptz not null default private.now()
);

comment on table public.story_heads is 'The commit at which the work of a story stands (docs/proof.md).';

create index story_heads_job_id_idx on public.story_heads (job_id);

alter table public.story_heads enable row level security;

create policy story_heads_select on public.story_heads for select to authenticated
  using (story_id in (select s.id from public.stories s where s.product_id in (select private.accessible_product_ids())));

grant select on public.story_heads to authenticated;
grant select, insert, update, delete on public.story_heads to service_role;
