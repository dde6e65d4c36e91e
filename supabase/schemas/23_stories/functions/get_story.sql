-- Called by the story page and tools: the story, its PBI and sprint, its tasks with plans, and its newest log entries.
create function operations.get_story(p_story_id uuid)
returns json
language plpgsql
stable
set search_path = ''
as $$
begin
  perform private.require_access('story', p_story_id);

  return (
    select private.with_labels(row_to_json(x), (select k.label_ids from public.stories k where k.id = x.id))
    from (
      select
        s.*,
        (select json_build_object('id', b.id, 'code', b.code, 'title', b.title) from public.pbis b where b.id = s.pbi_id) as pbi,
        (
          select json_build_object('id', p.id, 'code', p.code, 'sprint_goal', p.sprint_goal, 'status', p.status)
          from private.sprint_shape p
          where p.id = s.sprint_id
        ) as sprint,
        private.username(s.assignee_id) as assignee_username,
        (
          select coalesce(json_agg(private.with_labels(row_to_json(t), k.label_ids) order by t.sort_order, k.created_at, t.id), '[]')
          from private.task_detail_shape t
          join public.tasks k on k.id = t.id
          where t.story_id = s.id
        ) as tasks,
        operations.list_story_logs(s.id) as logs
      from private.story_shape s
      where s.id = p_story_id
    ) x
  );
end;
$$;

comment on function operations.get_story is 'One story with PBI, sprint, tasks and log (specification: Story).';
grant execute on function operations.get_story to authenticated;
