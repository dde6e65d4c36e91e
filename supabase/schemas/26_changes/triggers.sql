-- Why: whatever way a person takes (page, menu, keys, several at once), the change can be taken back: so it is the rows that
-- remember, not the operations. Definer: private.changes is nobody's to write.
create function private.tg_any__remember_change()
returns trigger
language plpgsql
security definer
set search_path = ''
as $$
declare
  v_kind text := tg_argv[0];
  v_old jsonb := to_jsonb(old);
  v_before jsonb := private.own_fields(v_kind, v_old);
  v_after jsonb;
begin
  if tg_op = 'DELETE' then
    perform private.remember_change(v_kind, old.id, old.product_id, old.code,
      v_old || coalesce(private.task_history(v_kind, old.id), '{}'), null, private.lost_with(v_kind, v_old));
    return old;
  end if;

  v_after := private.own_fields(v_kind, to_jsonb(new));
  select jsonb_object_agg(b.key, b.value), jsonb_object_agg(b.key, v_after -> b.key) into v_before, v_after
  from jsonb_each(v_before) b
  where b.value is distinct from v_after -> b.key;
  if v_before is not null then
    perform private.remember_change(v_kind, new.id, new.product_id, new.code, v_before, v_after);
  end if;
  return null;
end;
$$;

comment on function private.tg_any__remember_change is 'Keeps what a person changed, for undo_change. The argument names the kind.';

-- A person has a session; workers and tokens have none, and pay one comparison.
create trigger _870_remember after update on public.tasks for each row
  when (current_setting('request.jwt.claims', true) like '%"session_id"%')
  execute function private.tg_any__remember_change('task');
create trigger _870_remember after update on public.stories for each row
  when (current_setting('request.jwt.claims', true) like '%"session_id"%')
  execute function private.tg_any__remember_change('story');
create trigger _870_remember after update on public.pbis for each row
  when (current_setting('request.jwt.claims', true) like '%"session_id"%')
  execute function private.tg_any__remember_change('pbi');

-- Before the row goes: what hangs on it is still there to be looked at.
create trigger _871_remember before delete on public.tasks for each row
  when (current_setting('request.jwt.claims', true) like '%"session_id"%')
  execute function private.tg_any__remember_change('task');
create trigger _871_remember before delete on public.stories for each row
  when (current_setting('request.jwt.claims', true) like '%"session_id"%')
  execute function private.tg_any__remember_change('story');
create trigger _871_remember before delete on public.pbis for each row
  when (current_setting('request.jwt.claims', true) like '%"session_id"%')
  execute function private.tg_any__remember_change('pbi');
