-- Only a signed-in person decides: a token may be an agent's. The sentence says who can, and what a token may do.
create function private.require_session(p_sentence text) returns void language plpgsql stable set search_path = '' as $$
begin
  if private.is_token() then
    perform private.refuse(403, p_sentence);
  end if;
end;
$$;
grant execute on function private.require_session to authenticated;

-- The decision of a person that fits what is there now, as { hash, user_id, at }, or null. Every gate that such a decision opens asks
-- here for the state that it guards, not for how the state came about: the plan of a task by its text, the work of a job by its attempt and
-- commit, a story for being out of triage, the question of a failure, and a product for the caller's consent to their workers. What
-- is proven is told by private.missing_proof.
create function private.decision_for(p_gate text, p_item uuid)
returns jsonb language plpgsql stable set search_path = '' as $$
begin
  return case p_gate
    when 'plan' then (
      select d.made
      from public.tasks t cross join lateral (select private.decided_plan(t) as made) d
      where t.id = p_item
        and (d.made ->> 'hash' = private.text_hash(t.implementation_plan) or (t.verify_only and (d.made ->> 'verify_only')::boolean)))
    when 'review' then (
      select jsonb_build_object('hash', r.head_sha, 'user_id', r.author_id, 'at', r.created_at)
      from public.agent_jobs j
      join public.job_reviews r on r.job_id = j.id and r.attempt = j.attempt and r.head_sha is not distinct from j.head_sha
      where j.id = p_item and r.verdict = 'approve' and r.author_id is not null
      order by r.created_at desc limit 1)
    when 'triage' then (
      select jsonb_build_object('at', s.updated_at) from public.stories s where s.id = p_item and not s.in_triage)
    when 'failure' then (
      select jsonb_build_object('hash', private.text_hash(q.answer), 'user_id', q.answered_by, 'at', q.updated_at)
      from public.agent_questions q where q.id = p_item and q.status in ('ANSWERED', 'CANCELLED'))
    when 'consent' then (
      select jsonb_build_object('user_id', m.user_id, 'at', m.workers_decided_at) from public.product_members m
      where m.product_id = p_item and m.user_id = auth.uid() and (m.role = 'OWNER' or m.workers_allowed))
  end;
end;
$$;

-- A text by its hash; null for one that says nothing.
create function private.text_hash(p_text text) returns text language sql immutable set search_path = '' as $$
  select case when p_text ~ '\S' then encode(sha256(convert_to(p_text, 'UTF8')), 'hex') end;
$$;

-- The decision of a person on a plan.
create function private.plan_decision(p_plan text, p_user_id uuid) returns jsonb language sql stable set search_path = '' as $$
  select jsonb_build_object('hash', private.text_hash(p_plan), 'user_id', p_user_id, 'at', private.now());
$$;
grant execute on function private.text_hash, private.plan_decision to authenticated, service_role;

-- The decision on a task's plan. Before it was kept, a plan counted unless a token wrote it.
create function private.decided_plan(p_task public.tasks) returns jsonb language sql stable set search_path = '' as $$
  select coalesce(p_task.plan_decision, case when (p_task.field_versions -> 'implementation_plan' ->> 3)::boolean then '{}'::jsonb
    else jsonb_build_object('hash', private.text_hash(p_task.implementation_plan), 'verify_only', p_task.verify_only) end);
$$;
grant execute on function private.decided_plan to authenticated, service_role;

-- The plan that an attempt of this run works by: the task's, unless a person approves plans and none decided on this text.
create function private.plan_in_force(p_task_id uuid, p_sprint_run_id uuid) returns text language plpgsql stable set search_path = '' as $$
begin
  return (
    select t.implementation_plan from public.tasks t
    where t.id = p_task_id and (
      not exists (select from public.sprint_runs r where r.id = p_sprint_run_id and r.plan_review = 'person')
      or private.decision_for('plan', t.id) is not null));
end;
$$;
