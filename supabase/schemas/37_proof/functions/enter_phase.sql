-- Why: what follows when a job is queued again in another phase. A review lets the next jobs of its branch queue go;
-- after every third failed verification a person is asked what to do.
create function private.enter_phase(p_job public.agent_jobs)
returns void
language plpgsql
volatile
set search_path = ''
as $$
begin
  case p_job.phase
    when 'review' then
      update public.tasks t set status = 'REVIEW' where t.id = p_job.task_id and t.status not in ('DONE', 'REVIEW');
      perform private.bring_next_in_turn(p_job.sprint_run_id, p_job.lane_id);
    when 'implement' then
      perform private.reopen_tasks(p_job, array(
        select (m ->> 'story_id')::uuid from jsonb_array_elements(private.missing_proof(private.stories_to_finish(p_job), 'other_worker')) m));
      if private.verify_rounds(p_job.id) % 3 = 0 then
        perform private.ask_about_proof(p_job);
      end if;
    else
      null;
  end case;
end;
$$;

comment on function private.enter_phase is 'What a new phase of a job brings with it (docs/proof.md).';

-- Why: after three rounds between two workers a person decides. The job waits for the answer, which its next attempt
-- reads.
create function private.ask_about_proof(p_job public.agent_jobs)
returns void
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_question_id uuid;
begin
  insert into public.agent_questions (product_id, story_id, task_id, job_id, sprint_run_id, asked_by, question, options, recommended_option, park)
  select p_job.product_id, t.story_id, t.id, p_job.id, p_job.sprint_run_id, p_job.created_by,
    left(format('Another worker has reviewed %s %s times and still finds faults: %s How should it continue?', t.code, private.verify_rounds(p_job.id),
      (select string_agg(format('%s (%s)', left(f ->> 'text', 200), left(coalesce(f ->> 'excerpt', f ->> 'command', f ->> 'verdict'), 300)), '; ')
       from jsonb_array_elements(private.findings(p_job)) f)), 4000),
    '[{"label":"Try again"},{"label":"Try again, with what I write here"}]', 0, true
  from public.tasks t where t.id = p_job.task_id
  returning id into v_question_id;
  update public.agent_jobs j set parked_question_id = v_question_id where j.id = p_job.id;
end;
$$;

comment on function private.ask_about_proof is 'A question to a person after rounds in vain (docs/proof.md).';

-- Why: how often another worker found a fault in a job's work.
create function private.verify_rounds(p_job_id uuid)
returns integer
language plpgsql
stable
set search_path = ''
as $$
begin
  return (
    select count(distinct e.attempt) from public.evidence e
    where e.job_id = p_job_id and e.grade = 'other_worker' and e.verdict <> 'pass');
end;
$$;

comment on function private.verify_rounds is 'Verifications of a job that found a fault (docs/proof.md).';
