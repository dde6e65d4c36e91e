-- Why: under a share of the product's lock the end of a task only notes whose waiting it changes (private.settle_waiting). Story and
-- PBI have followed by now; the run is guarded before the rows of its jobs, and before its lane goes on.
-- Definer: the caller may not write jobs.
create function private.tg_agent_jobs__settle_waiting()
returns trigger
language plpgsql
security definer
set search_path = ''
as $$
declare
  v_waiting uuid[] := string_to_array(nullif(current_setting('backloom.waiting', true), ''), ',');
begin
  if v_waiting is null then
    return null;
  end if;
  perform set_config('backloom.waiting', '', true), private.lock_part('run', new.sprint_run_id);
  perform private.recount_blockers(v_waiting);
  perform private.note_released(v_waiting);
  return null;
end;
$$;

comment on function private.tg_agent_jobs__settle_waiting is 'Frees what waited for the task of a job that ended (specification: Agent job).';

create trigger _590_settle_waiting
after update of status on public.agent_jobs
for each row when (new.status in ('DONE', 'SKIPPED') and old.status in ('CLAIMED', 'RUNNING'))
execute function private.tg_agent_jobs__settle_waiting();
