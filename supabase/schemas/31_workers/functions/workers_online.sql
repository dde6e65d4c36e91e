-- Why: one number for pages and streams: online workers of the members of these products, without viewers', each once.
create function private.workers_online(p_product_ids uuid[])
returns bigint
language plpgsql
stable
set search_path = ''
as $$
begin
  return (
    select count(*) from public.agent_workers w
    where private.is_online(w.last_seen_at, w.stopped_at) and exists (
      select from public.product_members m where m.user_id = w.user_id and m.role <> 'VIEWER' and m.product_id = any (p_product_ids)));
end;
$$;

comment on function private.workers_online is 'How many workers of members are online (specification: Solo stream, workers).';

grant execute on function private.workers_online to authenticated;
