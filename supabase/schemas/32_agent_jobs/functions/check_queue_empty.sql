-- Why: a worker that wants to stop asks whether anything is left: claimable now, waiting, or held by others.
-- Definer: counts over all the user's products in one query.
create function operations.check_queue_empty(p_product_id uuid default null)
returns json
language plpgsql
stable
security definer
set search_path = ''
as $$
declare
  v_user_id uuid := auth.uid();
  v_queued integer;
  v_held integer;
  v_claimable boolean;
begin
  if p_product_id is not null then
    perform private.require_product_access(p_product_id);
  end if;
  select count(*) filter (where j.status = 'QUEUED'), count(*) filter (where j.status <> 'QUEUED')
  into v_queued, v_held
  from public.agent_jobs j
  join public.product_members m on m.product_id = j.product_id and m.user_id = v_user_id
    and private.is_open_to_token(m.product_id)
  where j.status in ('QUEUED', 'CLAIMED', 'RUNNING') and (p_product_id is null or j.product_id = p_product_id);
  v_claimable := private.next_product(null, v_user_id, p_product_id, null, null, '{}', true, null) is not null;
  return json_build_object('empty', v_queued = 0 and v_held = 0, 'claimable', v_claimable, 'queued', v_queued, 'held', v_held,
    'reason', case when not v_claimable then private.nothing_to_claim(v_user_id, p_product_id) end);
end;
$$;

comment on function operations.check_queue_empty is 'Whether jobs are left in reach (specification: Agent job).';
grant execute on function operations.check_queue_empty to authenticated;
