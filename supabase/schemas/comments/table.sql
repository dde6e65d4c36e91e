-- The state of a comment sent to an agent: sent, seen by an attempt, acted on, or undelivered (docs/rest.md).
create type public.message_state as enum ('sent', 'seen', 'acted_on', 'undelivered');

-- People and agents comment on a PBI, story or task. A comment belongs to one of them and is deleted with it. The
-- author's name is stored next to the id, for deleted and imported authors. Written by functions only.
create table public.comments (
  id uuid primary key default gen_random_uuid(),
  product_id uuid not null references public.products (id) on delete cascade,
  pbi_id uuid,
  story_id uuid,
  task_id uuid,
  body text not null constraint comments_body_length check (char_length(body) between 1 and 10000),
  author_id uuid references public.users (id) on delete set null,
  author text not null,
  created_at timestamptz not null default private.now(),
  edited_at timestamptz,
  constraint comments_one_place check (num_nonnulls(pbi_id, story_id, task_id) = 1),
  constraint comments_pbi_fkey foreign key (pbi_id, product_id) references public.pbis (id, product_id) on delete cascade,
  constraint comments_story_fkey foreign key (story_id, product_id) references public.stories (id, product_id) on delete cascade,
  constraint comments_task_fkey foreign key (task_id, product_id) references public.tasks (id, product_id) on delete cascade
);

comment on table public.comments is 'Comments on PBIs, stories and tasks.';
comment on column public.comments.edited_at is 'When its author last changed it; null when never.';
create index comments_pbi_idx on public.comments (pbi_id, product_id, created_at, id) where pbi_id is not null;
create index comments_story_idx on public.comments (story_id, product_id, created_at, id) where story_id is not null;
create index comments_task_idx on public.comments (task_id, product_id, created_at, id) where task_id is not null;
create index comments_product_id_idx on public.comments (product_id);
create index comments_author_id_idx on public.comments (author_id);

alter table public.comments enable row level security;

create policy comments_select on public.comments for select to authenticated
  using (product_id in (select private.accessible_product_ids()));
grant select on public.comments to authenticated;

-- A comment sent to the agent at work. It is kept until an attempt has seen it, so a dying worker, agent or
-- service loses nothing. Its text stays as sent, even if the comment is edited or deleted. Written by functions only.
create table public.agent_messages (
  id uuid primary key default gen_random_uuid(),
  comment_id uuid not null references public.comments (id) on delete cascade,
  product_id uuid not null references public.products (id) on delete cascade,
  job_id uuid references public.agent_jobs (id) on delete set null,
  code text not null,
  body text not null constraint agent_messages_body_length check (char_length(body) between 1 and 10000),
  author text not null,
  state public.message_state not null default 'sent',
  reason text constraint agent_messages_reason_length check (char_length(reason) <= 300),
  attempt integer constraint agent_messages_attempt_positive check (attempt >= 1),
  told integer not null default 0,
  sent_at timestamptz not null default private.now(),
  seen_at timestamptz,
  constraint agent_messages_once unique (comment_id, job_id),
  constraint agent_messages_reason_if_undelivered check ((state = 'undelivered') = (reason is not null))
);

comment on table public.agent_messages is 'Comments that were sent to the agent of a job, and their delivery (docs/rest.md).';
comment on column public.agent_messages.code is 'The code of the item that the comment is about.';
comment on column public.agent_messages.attempt is 'The attempt that saw it, or was handed it last.';
comment on column public.agent_messages.told is 'Number of heartbeat responses of that attempt that had it, for callers that confirm none.';
create index agent_messages_open_idx on public.agent_messages (job_id) where state in ('sent', 'seen');
create index agent_messages_job_id_idx on public.agent_messages (job_id, sent_at, id);
create index agent_messages_product_id_idx on public.agent_messages (product_id);

alter table public.agent_messages enable row level security;

create policy agent_messages_select on public.agent_messages for select to authenticated
  using (product_id in (select private.accessible_product_ids()));
grant select on public.agent_messages to authenticated;

-- A comment's mentions, in the inbox until one answers or archives it. Written only with the comment.
create table public.comment_mentions (
  comment_id uuid not null references public.comments (id) on delete cascade,
  user_id uuid not null references public.users (id) on delete cascade,
  created_at timestamptz not null default private.now(),
  primary key (comment_id, user_id)
);

comment on table public.comment_mentions is 'Members whom a comment mentions with @name.';
create index comment_mentions_user_id_idx on public.comment_mentions (user_id, created_at);

alter table public.comment_mentions enable row level security;

create policy comment_mentions_select on public.comment_mentions for select to authenticated
  using (user_id = (select auth.uid()));
grant select on public.comment_mentions to authenticated;
