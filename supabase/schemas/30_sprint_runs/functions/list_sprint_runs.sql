-- Why: the runs of a product or of one sprint, newest first, in pages. The cursor is the id of the last run of the
-- previous page. Definer: access is checked first; RLS would check it again for each row.
create function operations.list_sprint_runs(
  p_product_id uuid, p_sprint_id uuid default null, p_limit integer default 20, p_cursor uuid default null)
returns json
language plpgsql
stable
security definer
set search_path = ''
as $$
declare
  v_limit integer := least(greatest(coalesce(p_limit, 20), 1), 100);
  v_runs jsonb;
  v_last uuid;
  v_count integer;
begin
  perform private.require_product_access(p_product_id);
  select coalesce(jsonb_agg(private.run_json(r, false) order by r.created_at desc, r.id desc), '[]'),
    count(*), (array_agg(r.id order by r.created_at, r.id))[1]
  into v_runs, v_count, v_last
  from (
    select x.* from public.sprint_runs x
    where x.product_id = p_product_id
      and (p_sprint_id is null or x.sprint_id = p_sprint_id)
      and (p_cursor is null or (x.created_at, x.id) < (select c.created_at, c.id from public.sprint_runs c where c.id = p_cursor))
    order by x.created_at desc, x.id desc
    limit v_limit
  ) r;
  return json_build_object('runs', v_runs, 'next_cursor', case when v_count = v_limit then v_last end);
end;
$$;

comment on function operations.list_sprint_runs is
  'Sprint runs of a product or sprint, newest first (specification: Sprint run).';
grant execute on function operations.list_sprint_runs to authenticated;
