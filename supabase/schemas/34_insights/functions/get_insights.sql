-- Why: the insights page: burn-down of a sprint (the given one, else the active, else the newest), and tokens and cost of the
-- product, or of the given sprint. Definer: access is checked first.
create function operations.get_insights(p_product_id uuid, p_sprint_id uuid default null)
returns json
language plpgsql
stable
security definer
set search_path = ''
as $$
declare
  v_sprint public.sprints;
begin
  perform private.require_product_access(p_product_id);
  select s.* into v_sprint from public.sprints s
  where s.product_id = p_product_id and (p_sprint_id is null or s.id = p_sprint_id)
  order by (s.status = 'ACTIVE') desc, s.started_at desc nulls last, s.created_at desc
  limit 1;
  if p_sprint_id is not null and v_sprint.id is null then
    perform private.refuse(404, 'No such sprint.');
  end if;
  return jsonb_build_object(
    'product_id', p_product_id,
    'sprint', case when v_sprint.id is not null then jsonb_build_object('id', v_sprint.id, 'code', v_sprint.code,
      'sprint_goal', v_sprint.sprint_goal, 'status', lower(v_sprint.status::text), 'start_date', v_sprint.start_date,
      'end_date', v_sprint.end_date, 'started_at', v_sprint.started_at, 'completed_at', v_sprint.completed_at) end,
    'burndown', case when v_sprint.id is not null then private.burndown(v_sprint) else '[]' end)
    || private.usage_by(p_product_id, p_sprint_id) || private.cost_insights(p_product_id);
end;
$$;

comment on function operations.get_insights is 'Burn-down, tokens and cost (specification: Sprint; Agent job; Model price).';
grant execute on function operations.get_insights to authenticated;
