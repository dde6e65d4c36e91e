-- Why: the solo stream sends worker presence to every product of the worker's user. A mere heartbeat is not sent,
-- unless the worker had been silent long enough to count as offline. The events of jobs say which job it took or left.
-- Definer: every write sends its event, but no client may call private.emit.
create function private.tg_agent_workers__emit()
returns trigger
language plpgsql
security definer
set search_path = ''
as $$
declare
  v_event jsonb := private.change_event(tg_op, 'worker', to_jsonb(old), to_jsonb(new));
  v_row public.agent_workers := coalesce(new, old);
begin
  if v_event is null then
    return null;
  end if;
  if tg_op = 'UPDATE'
    and (v_event -> 'changed_fields') - 'last_seen_at' - 'last_quota_check_at' = '[]'
    and new.last_seen_at - old.last_seen_at < interval '90 seconds'
  then
    return null;
  end if;

  v_event := v_event || jsonb_build_object(
    'name', v_row.name,
    'last_quota_pct', v_row.last_quota_pct,
    'current_job_id', private.current_job_id(v_row.id),
    'stopped', v_row.stopped_at is not null
  );
  perform private.emit('product:' || m.product_id, v_event || jsonb_build_object('product_id', m.product_id))
  from public.product_members as m
  where m.user_id = v_row.user_id;
  return null;
end;
$$;

comment on function private.tg_agent_workers__emit is
  'Announces worker presence on product:<id> of every product that the worker reaches (specification: Solo stream).';

create trigger _900_emit
after insert or update or delete on public.agent_workers
for each row execute function private.tg_agent_workers__emit();
