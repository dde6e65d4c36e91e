-- Called by the sprint pages. `p_changes` holds the fields to change: sprint_goal, start_date, end_date (null clears a
-- date).
create function operations.update_sprint(p_sprint_id uuid, p_changes jsonb)
returns json
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_sprint public.sprints;
begin
  perform private.require_write('sprint', p_sprint_id);
  perform private.require_version('sprint', p_sprint_id, p_changes);
  select s.* into v_sprint from public.sprints s where s.id = p_sprint_id;

  if v_sprint.status in ('COMPLETED', 'CANCELLED') then
    raise exception using errcode = 'PT409',
      message = format('Sprint %s is %s and can no longer be changed. Plan another one.', v_sprint.code, lower(v_sprint.status::text));
  end if;

  v_sprint.sprint_goal := coalesce(p_changes ->> 'sprint_goal', v_sprint.sprint_goal);
  if p_changes ? 'start_date' then
    v_sprint.start_date := (p_changes ->> 'start_date')::date;
  end if;
  if p_changes ? 'end_date' then
    v_sprint.end_date := (p_changes ->> 'end_date')::date;
  end if;
  perform private.require_dates_in_order(v_sprint.start_date, v_sprint.end_date);

  update public.sprints s
  set sprint_goal = v_sprint.sprint_goal, start_date = v_sprint.start_date, end_date = v_sprint.end_date
  where s.id = p_sprint_id;
  return (select row_to_json(s) from private.sprint_shape s where s.id = p_sprint_id);
end;
$$;

comment on function operations.update_sprint is 'Edits goal and dates of a sprint (specification: Sprint).';
grant execute on function operations.update_sprint to authenticated;
