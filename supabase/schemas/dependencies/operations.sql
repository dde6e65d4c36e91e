-- Adds "blocked by". Refusals: 404, 403, 409 with the cycle as `path`, 422 for itself, unknown or of another product,
-- 429. Jobs that have not begun follow at once. Definer: these are written by functions only.
create function operations.add_dependency(p_kind text, p_id uuid, p_blocked_by text)
returns json language plpgsql volatile security definer set search_path = '' as $$
declare
  v_kind text := private.parse_choice('kind', p_kind, '{task,story}');
  v_product_id uuid := private.require_write(v_kind, p_id);
  v_blocker_id uuid;
begin
  perform private.take_rate_limit('dependency', auth.uid()::text);
  v_blocker_id := private.require_blocker(v_kind, v_product_id, p_blocked_by);
  perform private.insert_dependency(v_kind, v_product_id, p_id, v_blocker_id);
  perform private.order_runs(v_product_id);
  return private.dependencies_json(v_kind, p_id);
end;
$$;
grant execute on function operations.add_dependency to authenticated;

-- The step of an import after the stories: dependencies by codes. Impossible ones (unknown codes, cycles) are left
-- out and returned with the reason. Service only. Definer: dependencies are written by functions only.
create function operations.import_dependencies(p_product_id uuid, p_dependencies jsonb)
returns json language plpgsql volatile security definer set search_path = '' as $$
declare
  v_edge record;
  v_left_out jsonb := '[]';
begin
  perform private.lock_product(p_product_id);
  for v_edge in
    select d ->> 'kind' as kind, d ->> 'blocked' as blocked, d ->> 'blocker' as blocker from jsonb_array_elements(p_dependencies) d
  loop
    begin
      perform private.insert_dependency(v_edge.kind, p_product_id,
        private.require_blocker(v_edge.kind, p_product_id, v_edge.blocked),
        private.require_blocker(v_edge.kind, p_product_id, v_edge.blocker));
    exception when others then
      if sqlstate not like 'PT%' then
        raise;
      end if;
      v_left_out := v_left_out || jsonb_build_object('kind', v_edge.kind, 'blocked', v_edge.blocked, 'blocker', v_edge.blocker, 'reason', sqlerrm);
    end;
  end loop;
  return v_left_out;
end;
$$;
grant execute on function operations.import_dependencies to service_role;

-- A blocker is usually near: unfinished and in the same story or sprint. Existing blockers, and items that this
-- one blocks (a cycle), are left out. With a query, anything whose code or title matches. One walk finds what this
-- blocks, for any number of candidates. Definer: access is checked first.
create function operations.list_candidates(p_kind text, p_id uuid, p_query text default null)
returns json language plpgsql volatile security definer set search_path = '' as $$
declare
  v_kind text := private.parse_choice('kind', p_kind, '{task,story}');
  v_product_id uuid := private.require_access(v_kind, p_id);
  v_pattern text := '%' || replace(replace(replace(trim(coalesce(p_query, '')), '\', '\\'), '%', '\%'), '_', '\_') || '%';
  v_near record;
  v_found jsonb;
begin
  perform private.take_rate_limit('candidates', auth.uid()::text);
  select t.story_id, s.sprint_id, s.pbi_id into v_near
  from public.stories s left join public.tasks t on t.id = p_id
  where s.id = coalesce(t.story_id, p_id);
  with candidates as (
    select t.id, t.code, t.title, private.task_status_word(t.status) as status,
      t.story_id = v_near.story_id as is_near, s.sprint_id is not distinct from v_near.sprint_id as is_beside, t.created_at
    from public.tasks t join public.stories s on s.id = t.story_id
    where v_kind = 'task' and t.product_id = v_product_id and t.status <> 'DONE' and (t.code ilike v_pattern or t.title ilike v_pattern)
    union all
    select s.id, s.code, s.title, lower(s.status::text),
      s.sprint_id = v_near.sprint_id, s.pbi_id = v_near.pbi_id, s.created_at
    from public.stories s
    where v_kind = 'story' and s.product_id = v_product_id and s.status <> 'DONE' and (s.code ilike v_pattern or s.title ilike v_pattern)
  ),
  nearest as (
    select * from candidates c
    where c.id <> p_id
      and c.id not in (select l.id from private.later_than(case v_kind when 'task' then 'task' else 'start' end, p_id) l
        where l.kind = case v_kind when 'task' then 'task' else 'end' end)
      and c.id not in (select d.blocker_id from private.dependencies d where d.kind = v_kind and d.blocked_id = p_id)
    order by c.is_near desc nulls last, c.is_beside desc, c.created_at, c.id
    limit 8
  )
  select coalesce(jsonb_agg(jsonb_build_object('id', n.id, 'code', n.code, 'title', n.title, 'status', n.status)
    order by n.is_near desc nulls last, n.is_beside desc, n.created_at, n.id), '[]')
  into v_found from nearest n;
  return v_found;
end;
$$;
grant execute on function operations.list_candidates to authenticated;
comment on function operations.list_candidates is 'reads';

-- Idempotent. Returns the remaining ones. Refusals: 404, 403. Definer: dependencies are written by functions only.
create function operations.remove_dependency(p_kind text, p_id uuid, p_blocker text)
returns json language plpgsql volatile security definer set search_path = '' as $$
declare
  v_kind text := private.parse_choice('kind', p_kind, '{task,story}');
  v_product_id uuid := private.require_write(v_kind, p_id);
  v_blocker_id uuid := private.find_blocker(v_kind, v_product_id, p_blocker);
begin
  if v_kind = 'task' then
    delete from public.task_dependencies d where d.blocked_id = p_id and d.blocker_id = v_blocker_id;
  else
    delete from public.story_dependencies d where d.blocked_id = p_id and d.blocker_id = v_blocker_id;
  end if;
  return private.dependencies_json(v_kind, p_id);
end;
$$;
grant execute on function operations.remove_dependency to authenticated;

-- The work of a job has reached the main branch. A worker reports it with the commit it found there. Every member
-- can read that commit, so the report counts only where the user's workers are allowed. The owner may mark it by hand
-- when no worker can see it, and can undo that for a moment (private.restore_unmerged). Blockers are counted again, and
-- tasks released, in this transaction. Idempotent. Refusals: 404, 403, 409 for work that is not done or is at another
-- commit, 422, 429. Definer: jobs are written by functions only (docs/dependencies.md).
create function operations.report_merged(p_job_id uuid, p_head_sha text default null)
returns json language plpgsql volatile security definer set search_path = '' as $$
declare
  v_job private.works := private.lock_work(p_job_id);
begin
  if not private.is_token() then
    perform private.require_product_owner(v_job.product_id);
  end if;
  perform private.hear_worker(v_job.product_id);
  if private.is_token() and p_head_sha is null then
    perform private.refuse(422, 'head_sha names the commit that you found on the main branch.');
  end if;
  perform private.take_rate_limit('job_merged', p_job_id::text);
  if v_job.finished_at is null or (v_job.kind = 'TASK_IMPLEMENTATION' and v_job.status <> 'DONE') then
    perform private.refuse(409, 'The work of this job is not done, so it cannot have been merged. Report it once the job is done.');
  end if;
  if p_head_sha is not null and p_head_sha is distinct from v_job.head_sha then
    perform private.refuse(409, format('The work of this job is at %s now. Report that commit once it is on the main branch.',
      coalesce(left(v_job.head_sha, 8), 'no commit')));
  end if;
  if v_job.merged_at is null then
    v_job.merged_at := private.now();
    perform private.set_merged(array[p_job_id], v_job.merged_at);
    perform private.audit(auth.uid(), auth.uid(), 'job.merged', jsonb_build_object('product_id', v_job.product_id, 'job_id', v_job.id,
      'code', (select t.code from public.tasks t where t.id = v_job.task_id), 'head_sha', v_job.head_sha, 'by_token', private.is_token()));
    if not private.is_token() then
      perform private.remember_change('job', v_job.id, v_job.product_id, private.code_of('job', v_job.id),
        '{"merged_at": null}', jsonb_build_object('merged_at', v_job.merged_at));
    end if;
  end if;
  return jsonb_build_object('job_id', v_job.id, 'merged_at', v_job.merged_at) || private.released();
end;
$$;
grant execute on function operations.report_merged to authenticated;
comment on function operations.report_merged is 'scope work';
