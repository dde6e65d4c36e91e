-- Why: workers of everybody who shares a product with the caller, seen in the last week, the latest 200.
-- Definer: other users' presence is visible only where a product is shared.
create function operations.list_agent_workers(p_product_id uuid default null)
returns json
language plpgsql
stable
security definer
set search_path = ''
as $$
begin
  if p_product_id is not null then
    perform private.require_product_access(p_product_id);
  end if;
  return json_build_object('workers', (
    select coalesce(jsonb_agg(private.worker_json(w) || jsonb_build_object('current_job', (
        select private.job_json(j) from public.agent_jobs j
        where j.id = private.current_job_id(w.id) and j.product_id in (select private.accessible_product_ids())))
      order by w.last_seen_at desc, w.id), '[]')
    from public.agent_workers w
    where w.id in (
      select v.id from public.agent_workers v
      where v.last_seen_at > private.now() - interval '7 days'
        and (p_product_id is not null or v.user_id = auth.uid() or exists (
          select from public.product_members mine
          join public.product_members theirs on theirs.product_id = mine.product_id
          where mine.user_id = auth.uid() and private.is_open_to_token(mine.product_id) and theirs.user_id = v.user_id))
        and (p_product_id is null or exists (
          select from public.product_members m where m.product_id = p_product_id and m.user_id = v.user_id))
      order by v.last_seen_at desc, v.id
      limit 200)));
end;
$$;

comment on function operations.list_agent_workers is 'Workers that reach the products in reach (specification: Agent worker).';
grant execute on function operations.list_agent_workers to authenticated;
