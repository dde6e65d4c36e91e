-- Why: runs, jobs, workers and questions point at each other; these references can only follow once all four exist.
alter table public.sprint_runs
  add constraint sprint_runs_pause_question_id_fkey
  foreign key (pause_question_id) references public.agent_questions (id) on delete set null;
create index sprint_runs_pause_question_id_idx on public.sprint_runs (pause_question_id);

alter table public.agent_jobs
  add constraint agent_jobs_parked_question_id_fkey
  foreign key (parked_question_id) references public.agent_questions (id) on delete set null;

alter table public.agent_workers
  add constraint agent_workers_current_job_id_fkey
  foreign key (current_job_id) references public.agent_jobs (id) on delete set null;
