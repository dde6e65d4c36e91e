-- Why: jobs that a worker would be given, had its user allowed it, must not look like an empty queue. Null when there are
-- none; at most ten products.
create function private.products_without_consent(p_user_id uuid)
returns jsonb
language plpgsql
stable
set search_path = ''
as $$
begin
  return (
    select jsonb_agg(jsonb_build_object('id', x.id, 'code', x.code, 'name', x.name) order by x.name, x.id)
    from (
      select p.id, p.code, p.name
      from public.product_members m
      join public.products p on p.id = m.product_id and p.archived_at is null
      where m.user_id = p_user_id and not m.workers_allowed
        and exists (
          select from private.claimable_jobs j
          where j.product_id = p.id and (j.kind <> 'PLAN_CHAT' or j.created_by = p_user_id))
      order by p.name, p.id
      limit 10
    ) x
  );
end;
$$;

comment on function private.products_without_consent is
  'Products whose jobs wait for a word of this member (specification: Agent job; claiming).';
