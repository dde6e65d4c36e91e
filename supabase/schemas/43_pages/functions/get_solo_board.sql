-- Why: one person's part of the active sprint: their stories and unassigned ones, with their cards (specification: Solo
-- stream, the same filter).
create function operations.get_solo_board(p_product_id uuid)
returns json
language plpgsql
stable
set search_path = ''
as $$
declare
  v_sprint uuid;
begin
  perform private.require_product_access(p_product_id);
  select s.id into v_sprint from public.sprints s where s.product_id = p_product_id and s.status = 'ACTIVE';

  return json_build_object(
    'sprint', (select row_to_json(s) from private.sprint_shape s where s.id = v_sprint),
    'stories', (
      select coalesce(json_agg(row_to_json(x) order by x.sort_order, x.created_at, x.id), '[]')
      from (
        select s.id, s.code, s.title, lower(s.status::text) as status, s.sort_order, s.created_at, s.pbi_id, s.assignee_id,
          private.username(s.assignee_id) as assignee_name,
          (
            select count(*) from public.agent_questions q
            where q.story_id = s.id and q.status = 'OPEN' and q.expires_at > private.now()
            and (q.reader_id is null or q.reader_id = auth.uid())
          ) as open_questions
        from public.stories s
        where s.sprint_id = v_sprint and (s.assignee_id is null or s.assignee_id = auth.uid())
      ) x),
    'tasks', private.board_tasks(v_sprint),
    'labels', private.labels_of(p_product_id),
    'workers_online', private.workers_online(array[p_product_id])
  );
end;
$$;

comment on function operations.get_solo_board is
  'The solo page: own and unclaimed stories of the active sprint (design: pages).';
grant execute on function operations.get_solo_board to authenticated;
