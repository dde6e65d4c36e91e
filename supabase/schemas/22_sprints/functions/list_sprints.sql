-- Called by the sprints page and tools: newest first, with the progress of each.
create function operations.list_sprints(p_product_id uuid)
returns json
language plpgsql
stable
set search_path = ''
as $$
begin
  perform private.require_product_access(p_product_id);

  return (
    select coalesce(json_agg(row_to_json(x)), '[]')
    from (
      select
        s.*, coalesce(c.story_count, 0) as story_count, coalesce(c.done_story_count, 0) as done_story_count,
        coalesce(c.task_count, 0) as task_count, coalesce(c.done_task_count, 0) as done_task_count
      from private.sprint_shape s
      join public.sprints k on k.id = s.id
      left join (
        select
          st.sprint_id, count(distinct st.id) as story_count,
          count(distinct st.id) filter (where st.status = 'DONE') as done_story_count,
          count(t.id) as task_count, count(t.id) filter (where t.status = 'DONE') as done_task_count
        from public.stories st
        left join public.tasks t on t.story_id = st.id
        where st.product_id = p_product_id and st.sprint_id is not null
        group by st.sprint_id
      ) c on c.sprint_id = s.id
      where s.product_id = p_product_id
      order by k.created_at desc, k.id desc
    ) x
  );
end;
$$;

comment on function operations.list_sprints is 'Sprints of a product, newest first, with counts (specification: Sprint).';
grant execute on function operations.list_sprints to authenticated;
