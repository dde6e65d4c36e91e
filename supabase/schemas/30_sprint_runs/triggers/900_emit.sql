-- Why: pages that show a run follow its state.
-- Definer: an event is sent whoever writes, and no client may call private.emit.
create function private.tg_sprint_runs__emit()
returns trigger
language plpgsql
security definer
set search_path = ''
as $$
declare
  v_event jsonb := private.change_event(tg_op, 'sprint_run', to_jsonb(old), to_jsonb(new));
  v_row public.sprint_runs := coalesce(new, old);
begin
  if v_event is null then
    return null;
  end if;

  v_event := v_event || jsonb_build_object('sprint_id', v_row.sprint_id, 'run_status', v_row.status);
  perform private.emit('product:' || v_row.product_id, v_event);
  return null;
end;
$$;

comment on function private.tg_sprint_runs__emit is
  'Announces changes of sprint runs on product:<id> (specification: States, Sprint run).';

create trigger _900_emit
after insert or update or delete on public.sprint_runs
for each row execute function private.tg_sprint_runs__emit();
