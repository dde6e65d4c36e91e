-- Brings one deleted thing back with its id, code, dates and history. The limits on creating are not for it: the claims of the
-- caller are put aside meanwhile, and undo_change has counted already. Called under the product's lock.
create function private.restore_thing(p_change private.changes)
returns void
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_claims text := current_setting('request.jwt.claims', true);
begin
  perform set_config('request.jwt.claims', '', true);
  case p_change.kind
    when 'pbi' then
      insert into public.pbis select * from jsonb_populate_record(null::public.pbis, p_change.before);
    when 'story' then
      insert into public.stories select * from jsonb_populate_record(null::public.stories, p_change.before);
    else
      insert into public.tasks select * from jsonb_populate_record(null::public.tasks, p_change.before);
      delete from public.task_status_changes c where c.task_id = p_change.thing_id;
      insert into public.task_status_changes (task_id, story_id, product_id, sprint_id, from_status, to_status, changed_at)
      select h.task_id, h.story_id, h.product_id, h.sprint_id, h.from_status, h.to_status, h.changed_at
      from jsonb_populate_recordset(null::public.task_status_changes, p_change.before -> 'history') h
      order by h.id;
  end case;
  perform set_config('request.jwt.claims', v_claims, true);
end;
$$;

comment on function private.restore_thing is 'Brings a deleted PBI, story or task back.';
