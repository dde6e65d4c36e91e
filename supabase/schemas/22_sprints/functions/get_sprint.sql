-- Called by the sprint board: the sprint, its stories and their tasks, in order.
create function operations.get_sprint(p_sprint_id uuid)
returns json
language plpgsql
stable
set search_path = ''
as $$
begin
  perform private.require_access('sprint', p_sprint_id);

  return json_build_object(
    'sprint', (select row_to_json(s) from private.sprint_shape s where s.id = p_sprint_id),
    'stories', (
      select coalesce(json_agg(private.with_labels(row_to_json(x), (select k.label_ids from public.stories k where k.id = x.id))), '[]')
      from (
        select s.*, b.code as pbi_code, private.username(s.assignee_id) as assignee_username
        from private.story_shape s
        join public.stories k on k.id = s.id
        join public.pbis b on b.id = s.pbi_id
        where s.sprint_id = p_sprint_id
        order by s.sort_order, k.created_at, s.id
      ) x
    ),
    'tasks', (
      select coalesce(json_agg(private.with_labels(row_to_json(x), (select k.label_ids from public.tasks k where k.id = x.id))), '[]')
      from (
        select t.*, s.code as story_code, k.implementation_plan is not null as has_plan
        from private.task_shape t
        join public.tasks k on k.id = t.id
        join public.stories s on s.id = t.story_id
        where s.sprint_id = p_sprint_id
        order by s.sort_order, t.sort_order, k.created_at, t.id
      ) x
    )
  );
end;
$$;

comment on function operations.get_sprint is 'Sprint board: sprint, stories, tasks (specification: Sprint).';
grant execute on function operations.get_sprint to authenticated;
