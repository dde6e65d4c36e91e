-- Why: the end of a task changes what is blocked. Under the exclusive product lock it is counted at once. Under a
-- shared one, locks are taken in the order story, PBI, run, and this comes before the PBI's: so the tasks are stored
-- until the job's own trigger asks for them, and the run is locked while they are counted.
create function private.settle_waiting(p_task_ids uuid[])
returns void
language plpgsql
volatile
set search_path = ''
as $$
begin
  if p_task_ids is null then
    return;
  end if;
  if coalesce(current_setting('backloom.shared_product', true), '') = '' then
    perform private.recount_blockers(p_task_ids), private.note_released(p_task_ids);
    return;
  end if;
  perform set_config('backloom.waiting',
    concat_ws(',', nullif(current_setting('backloom.waiting', true), ''), array_to_string(p_task_ids, ',')), true);
end;
$$;

comment on function private.settle_waiting is 'Counts anew what tasks wait for, now or at the end of the job that ended.';
