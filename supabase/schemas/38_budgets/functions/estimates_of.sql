-- Why: an estimate is worth what it taught: by size (up to 15 minutes, an hour, four hours, more) and model the middle of the
-- estimates beside the middle of what the work took, and the tasks that were furthest from their estimate.
create function private.estimates_of(p_product_id uuid)
returns jsonb
language plpgsql
stable
set search_path = ''
as $$
begin
  return (
    with estimated as (
      select f.*, f.seconds / 60 as minutes,
        case when f.estimated_minutes <= 15 then 'S' when f.estimated_minutes <= 60 then 'M'
          when f.estimated_minutes <= 240 then 'L' else 'XL' end as size
      from private.finished_tasks(p_product_id) f
      where f.estimated_minutes > 0
    )
    select jsonb_build_object(
      'estimates', (
        select coalesce(jsonb_agg(to_jsonb(x) order by array_position(array['S', 'M', 'L', 'XL'], x.size), x.model_id), '[]')
        from (
          select e.size, e.model_id, count(*) as tasks,
            round((percentile_cont(0.5) within group (order by e.estimated_minutes))::numeric, 1) as estimated_minutes,
            round((percentile_cont(0.5) within group (order by e.minutes))::numeric, 1) as actual_minutes
          from estimated e group by e.size, e.model_id
        ) x),
      'surprises', (
        select coalesce(jsonb_agg(to_jsonb(x) - 'far' order by x.far desc), '[]')
        from (
          select t.id as task_id, t.code as task_code, t.title as task_title, e.model_id, e.estimated_minutes,
            round(e.minutes, 1) as actual_minutes, abs(ln(greatest(e.minutes, 0.01) / e.estimated_minutes)) as far
          from estimated e join public.tasks t on t.id = e.task_id
          where greatest(e.minutes, 0.01) / e.estimated_minutes not between 0.5 and 2
          order by far desc limit 5
        ) x))
  );
end;
$$;

comment on function private.estimates_of is 'Estimates beside what the work took, and what surprised most.';
