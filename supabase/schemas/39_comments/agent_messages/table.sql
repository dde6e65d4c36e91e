-- Why: a comment sent to the agent at work. It is kept until an attempt has seen it, so a dying worker, agent or
-- service loses nothing. Its text stays as sent, whatever happens to the comment. Written by functions only.
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

comment on table public.agent_messages is 'Comments that were sent to the agent of a job, and what became of them (docs/agents.md).';
comment on column public.agent_messages.code is 'The code of the item that the comment is about.';
comment on column public.agent_messages.attempt is 'The attempt that saw it, or was handed it last.';
comment on column public.agent_messages.told is 'How many answers to heartbeats of that attempt had it, where the caller confirms none.';

create index agent_messages_open_idx on public.agent_messages (job_id) where state in ('sent', 'seen');
create index agent_messages_job_id_idx on public.agent_messages (job_id, sent_at, id);
create index agent_messages_product_id_idx on public.agent_messages (product_id);

alter table public.agent_messages enable row level security;

create policy agent_messages_select on public.agent_messages for select to authenticated
  using (product_id in (select private.accessible_product_ids()));

grant select on public.agent_messages to authenticated;
grant select, insert, update, delete on public.agent_messages to service_role;
