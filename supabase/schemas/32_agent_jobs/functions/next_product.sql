-- Why: decides consent. Finds the product with the oldest job that a user's workers may take: a product where the user
-- allows it (workers_allowed; owners always do), or the one named by the claim. Reads the partial index in claim order,
-- one row per product, without a lock. private.take_job filters jobs again under the product's lock, but not consent,
-- role or archive.
create function private.next_product(
  p_worker_id uuid, p_user_id uuid, p_product_id uuid, p_sprint_run_id uuid, p_kinds jsonb, p_tried uuid[],
  p_confined boolean, p_also_repos jsonb)
returns uuid
language plpgsql
stable
set search_path = ''
-- The filters hide from the planner how many jobs wait: by itself it reads and sorts all of them, although the index
-- returns the first one directly.
set enable_sort = off
set enable_bitmapscan = off
as $$
begin
  return (
    select c.product_id
    from public.product_members m
    join public.products p on p.id = m.product_id and p.archived_at is null and (p_confined or not p.requires_sandbox)
    cross join lateral (
      select j.product_id, j.claim_rank, j.created_at, j.position, j.id
      from private.claimable_jobs j
      where j.product_id = m.product_id
        and (j.kind <> 'PLAN_CHAT' or j.created_by = p_user_id)
        and (j.phase <> 'verify' or j.author_worker_id is distinct from p_worker_id)
        and (p_sprint_run_id is null or j.sprint_run_id = p_sprint_run_id)
        and (p_kinds is null or p_kinds ? j.kind::text)
        and not exists (
          select from public.tasks t
          where t.id = j.task_id and t.repo_url <> p.repo_url and not private.is_followed(t.repo_url, p_also_repos))
      order by j.claim_rank, j.created_at, j.position, j.id
      limit 1
    ) c
    where m.user_id = p_user_id and m.role <> 'VIEWER' and private.is_open_to_token(m.product_id)
      and case when p_product_id is null then m.workers_allowed else m.product_id = p_product_id end
      and m.product_id <> all (p_tried)
    order by c.claim_rank, c.created_at, c.position, c.id
    limit 1
  );
end;
$$;

comment on function private.next_product is
  'The product of the oldest claimable job in reach (specification: Agent job; claiming).';
