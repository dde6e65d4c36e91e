-- Why: everything that needs the caller in one list: open questions, tasks in review, runs and conversations about
-- ideas that failed within two weeks and were not retried, invitations, products they were added to, stories in triage,
-- and mentions of the last two weeks. Archived products are left out.
-- Planned once per session: planning takes five times as long as running it.
-- Definer: the query itself limits the products.
create function private.inbox_items()
returns table (kind text, id uuid, product_id uuid, at timestamptz)
language plpgsql
stable
security definer
set search_path = ''
set plan_cache_mode = force_generic_plan
as $$
declare
  v_now timestamptz := private.now();
  v_since timestamptz := v_now - interval '14 days';
  v_products uuid[] := array(select private.writable_product_ids());
begin
  return query
    select 'question', q.id, q.product_id, q.created_at
    from public.agent_questions q
    where q.status = 'OPEN' and q.expires_at > v_now and q.product_id = any (v_products)
      and (q.reader_id is null or q.reader_id = auth.uid() or private.is_left_to_owner(q))
    union all
    select 'review', w.task_id, w.product_id, w.since
    from public.tasks_in_review w
    where w.product_id = any (v_products) and not private.waits_for_ci(w)
    union all
    select 'run', r.id, r.product_id, r.finished_at
    from public.sprint_runs r
    where r.status = 'FAILED' and r.product_id = any (v_products) and r.finished_at > v_since
      and not exists (select from public.sprint_runs n where n.sprint_id = r.sprint_id and n.created_at > r.created_at)
      -- A run of its own is tried again by whatever run takes up the task that failed.
      and not (r.sprint_id is null and exists (
        select from public.sprint_runs n
        where n.id in (
            select j.sprint_run_id from public.agent_jobs j where j.task_id = (r.failure ->> 'task_id')::uuid
            union all
            select e.sprint_run_id from public.task_executions e where e.task_id = (r.failure ->> 'task_id')::uuid)
          and n.created_at > r.created_at))
    union all
    -- A job of a task is told by its run; a talk about an idea is its owner's alone.
    select 'job', j.id, j.product_id, j.finished_at
    from public.agent_jobs j
    where j.status = 'FAILED' and j.finished_at > v_since and j.product_id = any (v_products) and j.idea_id is not null
      and j.created_by = auth.uid()
      and not exists (select from public.agent_jobs n where n.idea_id = j.idea_id and n.created_at > j.created_at)
    union all
    select 'added', m.product_id, m.product_id, m.created_at
    from public.product_members m
    where m.user_id = auth.uid() and m.role = 'MEMBER' and m.workers_decided_at is null and m.product_id = any (v_products)
    union all
    -- One for all that waits in a product; what comes later makes it new.
    select 'triage', s.product_id, s.product_id, max(s.created_at)
    from public.stories s
    where s.in_triage and not s.is_template and s.product_id = any (v_products)
    group by s.product_id
    union all
    -- Of products that are not yet in reach.
    select 'invitation', i.id, i.product_id, i.created_at
    from public.product_invitations i
    join public.products p on p.id = i.product_id and p.archived_at is null
    where i.invited_user_id = auth.uid() and i.expires_at > v_now
      and not exists (select from public.product_members m where m.product_id = i.product_id and m.user_id = auth.uid())
    union all
    -- Whoever has written something there since has seen it.
    select 'mention', c.id, c.product_id, m.created_at
    from public.comment_mentions m
    join public.comments c on c.id = m.comment_id
    where m.user_id = auth.uid() and m.created_at > v_since and c.product_id in (select private.open_product_ids())
      and not exists (
        select from public.comments n
        where n.author_id = auth.uid() and n.created_at > m.created_at
          and (n.pbi_id = c.pbi_id or n.story_id = c.story_id or n.task_id = c.task_id));
end;
$$;

comment on function private.inbox_items is 'What waits for the caller over all products, whether put aside or not.';

grant execute on function private.inbox_items to authenticated;

-- Why: a task that waits for CI needs no person.
create function private.waits_for_ci(p_task public.tasks_in_review)
returns boolean
language plpgsql
stable
set search_path = ''
as $$
begin
  return exists (select from public.products p where p.id = p_task.product_id and p.done_requires = 'ci')
    and exists (select from public.agent_jobs j where j.task_id = p_task.task_id and j.status = 'QUEUED' and j.phase = 'review');
end;
$$;

comment on function private.waits_for_ci is 'Whether a task in review waits for CI alone (docs/proof.md).';
