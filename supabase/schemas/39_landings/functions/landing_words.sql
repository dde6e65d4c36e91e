-- Why: why_not_moving shows how far a branch is. Null if the product has no queue, or the branch is not in it.
create function private.landing_words(p_product_id uuid, p_branch text)
returns text
language plpgsql
stable
set search_path = ''
as $$
declare
  v_landing public.landings;
  v_place bigint;
begin
  select l.* into v_landing from public.landings l where l.product_id = p_product_id and l.branch = p_branch and l.finished_at is null;
  if v_landing.state = 'waiting_ci' then
    return 'Its branch is landing: it is waiting for CI of the merged state.';
  elsif v_landing.id is not null then
    return format('Its branch is landing now (worker %s)%s.', v_landing.worker, coalesce(': ' || v_landing.words, ''));
  end if;
  select q.place into v_place from private.landing_queue(p_product_id) q where q.branch = p_branch;
  return case when v_place is not null then format('Its branch is number %s in the landing queue.', v_place) end;
end;
$$;

comment on function private.landing_words is 'Where a branch stands in the landing queue (docs/forges.md).';
