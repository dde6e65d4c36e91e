create trigger _400_touch before update on public.landings for each row execute function private.tg_any__touch();

-- Why: the job's page follows the landing of its branch. Definer: no client may call private.emit.
create function private.tg_landings__emit()
returns trigger
language plpgsql
security definer
set search_path = ''
as $$
declare
  v_job public.agent_jobs;
begin
  select j.* into v_job from public.agent_jobs j where j.id = new.job_id;
  perform private.emit('product:' || new.product_id, jsonb_build_object('op', 'U', 'entity', 'job', 'id', new.job_id,
    'product_id', new.product_id, 'changed_fields', jsonb_build_array('landing'), 'task_id', v_job.task_id, 'idea_id', null,
    'kind', v_job.kind, 'status', v_job.status, 'sprint_run_id', v_job.sprint_run_id));
  return null;
end;
$$;

comment on function private.tg_landings__emit is 'Announces on product:<id> that the landing of a job has moved on.';

create trigger _900_emit_insert
after insert on public.landings
for each row execute function private.tg_landings__emit();

create trigger _900_emit_update
after update on public.landings
for each row when (old.state is distinct from new.state)
execute function private.tg_landings__emit();
