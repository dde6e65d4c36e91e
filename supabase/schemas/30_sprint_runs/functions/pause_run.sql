-- Why: the only way to pause a run: stores the context, opens and links a question. Its jobs are no longer given out;
-- held claims continue. Called under the product lock by pause_sprint_run and when a question expires with STOP.
create function private.pause_run(
  p_run public.sprint_runs, p_reason text, p_pr_url text, p_conflict_files jsonb, p_job_id uuid, p_task_codes text[] default '{}')
returns public.sprint_runs
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_files jsonb := coalesce(p_conflict_files, '[]');
  v_text text;
  v_run public.sprint_runs;
begin
  if jsonb_typeof(v_files) <> 'array' or jsonb_array_length(v_files) > 500 or length(v_files::text) > 65536
    or exists (select from jsonb_array_elements(v_files) f where jsonb_typeof(f) <> 'string') then
    perform private.refuse(422, 'conflict_files must be a list of at most 500 paths.');
  end if;

  v_text := left(format('The run of %s is paused (%s).%s%s%s Resume the run when it can continue, or cancel it.',
    private.run_subject(p_run), replace(p_reason, '_', ' '),
    case when p_task_codes <> '{}' then format(' %s does not merge%s, even after two tries.', p_task_codes[1], ' with ' || p_task_codes[2]) else '' end,
    case when jsonb_array_length(v_files) > 0
      then ' In conflict: ' || left((select string_agg(f, ', ') from jsonb_array_elements_text(v_files) f), 1500) || '.' else '' end,
    case when p_pr_url is not null then ' Pull request: ' || p_pr_url || '.' else '' end), 4000);

  update public.sprint_runs r
  set status = 'PAUSED',
      pause_context = jsonb_build_object('reason', p_reason, 'pr_url', p_pr_url, 'conflict_files', v_files)
        || case when p_task_codes <> '{}' then jsonb_build_object('tasks', p_task_codes) else '{}' end,
      pause_question_id = private.open_pause_question(p_run, p_job_id, v_text)
  where r.id = p_run.id
  returning * into v_run;
  return v_run;
end;
$$;

comment on function private.pause_run is 'Run to PAUSED with context and question (specification: Sprint run, pause).';

-- Why: a paused run asks a person with a question. A question needs a story: that of the job that paused it, else of a
-- job at work, else of the first queued one, else any of the run (specification: Agent question).
create function private.open_pause_question(p_run public.sprint_runs, p_job_id uuid, p_text text)
returns uuid
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_question_id uuid;
begin
  insert into public.agent_questions (product_id, story_id, task_id, job_id, sprint_run_id, asked_by, question)
  select p_run.product_id, t.story_id, t.id, j.id, p_run.id, auth.uid(), p_text
  from public.agent_jobs j
  join public.tasks t on t.id = j.task_id
  where j.sprint_run_id = p_run.id
  order by (j.id is not distinct from p_job_id) desc, (j.status in ('CLAIMED', 'RUNNING')) desc,
    (j.status = 'QUEUED') desc, j.position
  limit 1
  returning id into v_question_id;
  return v_question_id;
end;
$$;

comment on function private.open_pause_question is
  'The question that a pause opens (specification: Sprint run, pause; Agent question).';
