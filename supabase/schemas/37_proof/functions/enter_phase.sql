-- Why: what follows when a job goes back to the queue in another phase. A review makes room for the jobs behind it on the same
-- branch; after each third round in vain a person is asked what to do.
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
