-- States of an agent question (specification: Agent question).
create type public.agent_question_status as enum ('OPEN', 'ANSWERED', 'CANCELLED', 'EXPIRED');

-- States of a user question (specification: Other records).
create type public.user_question_status as enum ('PENDING', 'ANSWERED');

-- What is asked for: knowledge, or that an agent may do something on someone's machine.
create type public.question_kind as enum ('question', 'permission');

-- What happens when a question expires unanswered.
create type public.question_expiry as enum ('STOP', 'RECOMMENDED', 'ESCALATE');

-- An agent asks a person and may wait for the answer (specification: Agent question). A question for one person has a
-- reader: only the user of the asking worker can give a permission, for their own machine; an idea belongs to its user
-- alone. A question belongs to exactly one of story and idea. After its expiry an open question immediately counts as
-- expired everywhere; expire_questions stores that and applies on_expiry.
create table public.agent_questions (
  id uuid primary key default gen_random_uuid(),
  product_id uuid not null references public.products (id) on delete cascade,
  story_id uuid references public.stories (id) on delete cascade,
  idea_id uuid references public.ideas (id) on delete cascade,
  task_id uuid references public.tasks (id) on delete set null,
  assignee_id uuid references public.users (id) on delete set null,
  job_id uuid references public.agent_jobs (id) on delete set null,
  sprint_run_id uuid references public.sprint_runs (id) on delete set null,
  asked_by uuid references public.users (id) on delete set null,
  kind public.question_kind not null default 'question',
  reader_id uuid references public.users (id) on delete cascade,
  reach text constraint agent_questions_reach_length check (char_length(reach) <= 260),
  status public.agent_question_status not null default 'OPEN',
  plan text constraint agent_questions_plan_length check (char_length(plan) <= 100000),
  question text not null constraint agent_questions_question_length check (char_length(question) between 1 and 4000),
  options jsonb not null default '[]'
    constraint agent_questions_options check (jsonb_typeof(options) = 'array' and jsonb_array_length(options) <= 8),
  recommended_option integer,
  answer text constraint agent_questions_answer_length check (char_length(answer) <= 4000),
  answered_by uuid references public.users (id) on delete set null,
  answered_at timestamptz,
  answered_via text constraint agent_questions_answered_via_known check (answered_via in ('web', 'telegram', 'slack', 'discord', 'matrix')),
  expires_at timestamptz not null default private.now() + interval '7 days',
  on_expiry public.question_expiry not null default 'STOP',
  escalate_to uuid references public.users (id) on delete set null,
  park boolean not null default false,
  created_at timestamptz not null default private.now(),
  updated_at timestamptz not null default private.now(),
  constraint agent_questions_story_or_idea check (num_nonnulls(story_id, idea_id) = 1),
  constraint agent_questions_reader check (reader_id is not null or (kind = 'question' and idea_id is null)),
  constraint agent_questions_reach check (reach is null or kind = 'permission'),
  constraint agent_questions_recommended check (
    recommended_option is null or recommended_option between 0 and jsonb_array_length(options) - 1
  ),
  constraint agent_questions_answered check ((status = 'ANSWERED') <= (answer is not null))
);

comment on table public.agent_questions is
  'Agent questions (specification: Agent question): open, answered, cancelled or expired; bound to a story or an idea.';
comment on column public.agent_questions.reader_id is 'The only person who may read and answer it; null: every member of the product.';
comment on column public.agent_questions.reach is 'The host, with its port, that a permission asks for.';
comment on column public.agent_questions.plan is 'The plan that a person is to approve, only by operations.review_plan.';
comment on column public.agent_questions.options is 'Array of { label, description? }, at most 8.';
comment on column public.agent_questions.recommended_option is 'Index into options, from 0.';
create index agent_questions_open_idx on public.agent_questions (product_id, created_at) where status = 'OPEN';
create index agent_questions_due_idx on public.agent_questions (expires_at) where status = 'OPEN';
create index agent_questions_product_id_idx on public.agent_questions (product_id, created_at, id);
create index agent_questions_story_id_idx on public.agent_questions (story_id);
create index agent_questions_idea_id_idx on public.agent_questions (idea_id);
create index agent_questions_task_id_idx on public.agent_questions (task_id);
create index agent_questions_assignee_id_idx on public.agent_questions (assignee_id);
create index agent_questions_reader_id_idx on public.agent_questions (reader_id) where reader_id is not null;
create index agent_questions_job_id_idx on public.agent_questions (job_id);
create index agent_questions_sprint_run_id_idx on public.agent_questions (sprint_run_id);
create index agent_questions_asked_by_idx on public.agent_questions (asked_by);
create index agent_questions_answered_by_idx on public.agent_questions (answered_by);
create index agent_questions_escalate_to_idx on public.agent_questions (escalate_to);

alter table public.agent_questions enable row level security;

create policy agent_questions_select on public.agent_questions for select to authenticated
  using (
    product_id in (select private.accessible_product_ids())
    and (reader_id is null or reader_id = (select auth.uid()))
  );
grant select on public.agent_questions to authenticated;

-- A user asks about an idea, a worker answers (specification: Other records, User question).
create table public.user_questions (
  id uuid primary key default gen_random_uuid(),
  idea_id uuid not null references public.ideas (id) on delete cascade,
  user_id uuid not null references public.users (id) on delete cascade,
  question text not null constraint user_questions_question_length check (char_length(question) between 1 and 4000),
  answer text constraint user_questions_answer_length check (char_length(answer) <= 20000),
  status public.user_question_status not null default 'PENDING',
  job_id uuid references public.agent_jobs (id) on delete set null,
  answered_at timestamptz,
  created_at timestamptz not null default private.now(),
  constraint user_questions_answered check ((status = 'ANSWERED') = (answer is not null))
);

comment on table public.user_questions is
  'User questions about ideas (specification: Other records): pending until the worker''s answer closes them.';
create index user_questions_idea_id_idx on public.user_questions (idea_id, created_at);
create index user_questions_user_id_idx on public.user_questions (user_id, created_at);
create index user_questions_job_id_idx on public.user_questions (job_id);

alter table public.user_questions enable row level security;

create policy user_questions_select on public.user_questions for select to authenticated
  using (user_id = (select auth.uid()));
grant select on public.user_questions to authenticated;
