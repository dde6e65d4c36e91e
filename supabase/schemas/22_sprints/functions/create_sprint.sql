-- Called by the sprints page and tools. Gets the next SP-<n>.
create function operations.create_sprint(
  p_product_id uuid,
  p_sprint_goal text default '',
  p_start_date date default null,
  p_end_date date default null
)
returns json
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_id uuid := gen_random_uuid();
begin
  perform private.require_dates_in_order(p_start_date, p_end_date);
  perform private.require_write('product', p_product_id);

  insert into public.sprints (id, product_id, sprint_goal, start_date, end_date)
  values (v_id, p_product_id, coalesce(p_sprint_goal, ''), p_start_date, p_end_date);
  return (select row_to_json(s) from private.sprint_shape s where s.id = v_id);
end;
$$;

comment on function operations.create_sprint is
  'Creates a planned sprint (specification: Sprint, Entity codes 6). 10 per minute.';
grant execute on function operations.create_sprint to authenticated;
