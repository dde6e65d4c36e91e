-- Called by the dashboard: the caller's products with role and counts, either the archived ones or the others.
create function operations.list_product_overviews(p_archived boolean default false)
returns json
language plpgsql
stable
set search_path = ''
as $$
begin
  return (
    select coalesce(json_agg(row_to_json(x)), '[]')
    from (
      select
        p.*, m.role,
        (select count(*) from public.product_members o where o.product_id = p.id) as member_count,
        (select count(*) from public.pbis b where b.product_id = p.id) as pbi_count,
        (select count(*) from public.stories s where s.product_id = p.id) as story_count,
        (select count(*) from public.stories s where s.product_id = p.id and s.status = 'DONE') as done_story_count,
        (select count(*) from public.tasks t where t.product_id = p.id) as task_count,
        (select count(*) from public.tasks t where t.product_id = p.id and t.status = 'DONE') as done_task_count,
        (
          select row_to_json(a)
          from (
            select s.id, s.code, s.sprint_goal, s.status, s.start_date, s.end_date from private.sprint_shape s
            where s.product_id = p.id and s.status = 'active'
          ) a
        ) as active_sprint
      from private.product_detail_shape p
      join public.product_members m on m.product_id = p.id and m.user_id = (select auth.uid())
      where (p.archived_at is not null) = p_archived and private.is_open_to_token(p.id)
      order by p.name, p.id
    ) x
  );
end;
$$;

comment on function operations.list_product_overviews is
  'Dashboard list of products with role and counts (specification: Product).';
grant execute on function operations.list_product_overviews to authenticated;
