-- Why: evidence that an attempt reports, in the transaction of its report. The grade says who observed it: the worker
-- program that ran the command ("worker", with its exit code), in the phase verify another worker, else the agent.
-- Refusals: 422 with one issue for each invalid line. Called by an attempt that holds the job.
create function private.record_evidence(p_job public.agent_jobs, p_evidence jsonb)
returns void
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_line jsonb;
  v_place integer := -1;
  v_story_id uuid;
  v_worker text;
  v_grade public.evidence_grade;
begin
  if p_evidence is null or p_job.kind = 'PLAN_CHAT' then
    return;
  end if;
  select w.name into v_worker from public.agent_workers w where w.id = p_job.worker_id;
  for v_line in select jsonb_array_elements(p_evidence) loop
    v_place := v_place + 1;
    v_story_id := private.story_of_line(p_job, v_line, v_place);
    v_grade := case when p_job.phase = 'verify' then 'other_worker'
      when v_line ->> 'grade' = 'worker' then 'worker' else 'said' end;
    perform private.check_observation(v_line, v_grade, v_place);
    perform private.insert_evidence(v_story_id, v_line, v_grade, v_place, p_job, coalesce(v_worker, 'a worker'));
  end loop;
end;
$$;

comment on function private.record_evidence is 'The evidence of an attempt for the criteria of its stories (docs/proof.md).';

-- Why: no procedure, no verdict. A worker's evidence needs the command and its exit code, which decides the verdict;
-- another worker's needs a command too, or a text that says what was checked.
create function private.check_observation(p_line jsonb, p_grade public.evidence_grade, p_place integer)
returns void
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_exit integer := (p_line ->> 'exit_code')::integer;
begin
  if p_grade = 'worker' and (coalesce(p_line ->> 'command', '') !~ '\S' or v_exit is null) then
    perform private.refuse_evidence(p_place, 'command',
      'Evidence of grade "worker" needs the command that the worker ran and its exit code. Without them, leave out the grade.');
  end if;
  if p_grade = 'other_worker' and coalesce(p_line ->> 'command', '') !~ '\S' and coalesce(p_line ->> 'excerpt', '') !~ '\S' then
    perform private.refuse_evidence(p_place, 'command',
      'A verdict needs a procedure: give the command that you ran, or say in excerpt what you looked at.');
  end if;
  if p_grade in ('worker', 'other_worker') and v_exit is not null
    and (v_exit = 0) <> (coalesce(p_line ->> 'verdict', 'pass') = 'pass') and p_line ->> 'verdict' is distinct from 'unverifiable' then
    perform private.refuse_evidence(p_place, 'verdict',
      'The verdict follows from the exit code: pass for 0, fail for any other.');
  end if;
end;
$$;

comment on function private.check_observation is 'Whether evidence of a grade tells what was done for it (docs/proof.md).';

-- Why: a batch reports for many stories; a line of evidence may name one, else it is for the story at work.
create function private.story_of_line(p_job public.agent_jobs, p_line jsonb, p_place integer)
returns uuid
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_story_id uuid := (p_line ->> 'story_id')::uuid;
  v_own uuid;
begin
  select t.story_id into v_own from public.tasks t where t.id = p_job.task_id;
  if v_story_id is null or v_story_id = v_own then
    return v_own;
  end if;
  if p_job.kind = 'SPRINT_IMPLEMENTATION' and exists (
    select from public.task_executions e join public.tasks t on t.id = e.task_id
    where e.sprint_run_id = p_job.sprint_run_id and t.story_id = v_story_id
  ) then
    return v_story_id;
  end if;
  perform private.refuse_evidence(p_place, 'story_id', 'This story does not belong to the job.');
  return null;
end;
$$;

comment on function private.story_of_line is 'The story that a line of evidence speaks of (docs/proof.md).';
