-- Why: a user asks about an idea, a worker answers (specification: Other records, User question).
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
grant select, insert, update, delete on public.user_questions to service_role;
