-- Why: the page of a job shows what proves its stories, cards say how much is proven and what a queued job waits for. No rows move.
set local check_function_bodies = off;

CREATE OR REPLACE FUNCTION private.board_tasks(p_sprint_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select coalesce(json_agg(row_to_json(t) order by t.story_sort_order, t.story_created_at, t.story_id, t.sort_order, t.created_at, t.id), '[]')
    from (
      select t.id, t.created_at, s.created_at as story_created_at, t.code, t.title, t.story_id, t.sort_order, t.priority,
        case t.status when 'TO_DO' then 'todo' else lower(t.status::text) end as status,
        t.implementation_plan is not null and t.implementation_plan <> '' as has_plan,
        s.code as story_code, s.title as story_title, s.sort_order as story_sort_order, s.assignee_id,
        j.id as job_id, lower(j.status::text) as job_status, j.phase as job_phase, j.started_at as job_started_at,
        j.updated_at as job_seen_at,
        case when j.status in ('CLAIMED', 'RUNNING') then private.doing_now(j.id, j.attempt) end as job_doing,
        w.name as worker_name,
        (
          select f.failure_reason from public.agent_jobs f
          where t.status = 'FAILED' and f.task_id = t.id and f.status = 'FAILED'
          order by f.finished_at desc limit 1
        ) as failure_reason,
        (
          select count(*) from public.agent_questions q
          where q.task_id = t.id and q.status = 'OPEN' and q.expires_at > private.now()
        ) as open_questions,
        (
          select json_build_array(c.additions, c.deletions) from public.agent_jobs c
          where c.task_id = t.id and c.kind = 'TASK_IMPLEMENTATION' and c.additions is not null
          order by c.created_at desc limit 1
        ) as changes,
        n.proof
      from public.stories s
      cross join lateral (select private.proof_count(s.id) as proof offset 0) n
      join public.tasks t on t.story_id = s.id
      left join lateral (
        select j.id, j.status, j.phase, j.attempt, j.started_at, j.updated_at, j.worker_id
        from public.agent_jobs j
        where j.task_id = t.id and j.kind = 'TASK_IMPLEMENTATION' and j.status in ('QUEUED', 'CLAIMED', 'RUNNING')
        order by j.created_at desc
        limit 1
      ) j on true
      left join public.agent_workers w on w.id = j.worker_id
      where s.sprint_id = p_sprint_id
    ) t
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.get_job_proof(p_job_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_job public.agent_jobs;
begin
  perform private.require_job(p_job_id);
  select j.* into v_job from public.agent_jobs j where j.id = p_job_id;
  return json_build_object('stories', (
    select coalesce(json_agg(json_build_object('id', s.id, 'code', s.code, 'title', s.title, 'proof', private.proof_json(s.id))
      order by s.sort_order, s.created_at), '[]')
    from public.stories s
    where s.id in (
      select t.story_id from public.tasks t where t.id = v_job.task_id
      union all
      select t.story_id from public.task_executions e join public.tasks t on t.id = e.task_id
      where v_job.kind = 'SPRINT_IMPLEMENTATION' and e.sprint_run_id = v_job.sprint_run_id)));
end;
$function$;

CREATE OR REPLACE FUNCTION private.proof_count(p_story_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  if not exists (
    select from public.stories s join public.products p on p.id = s.product_id
    where s.id = p_story_id and (p.done_requires <> 'none' or exists (select from public.evidence e where e.story_id = s.id))
  ) then
    return null;
  end if;
  return (
    select json_build_array(count(*) filter (where c.state in ('proven', 'waived')), count(*))
    from private.story_proof(p_story_id) c having count(*) > 0);
end;
$function$;

CREATE OR REPLACE FUNCTION public.get_job_proof(p_job_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return private.get_job_proof(p_job_id);
end;
$function$;

COMMENT ON FUNCTION "private"."proof_count"(uuid) IS 'Proven and all criteria of a story, for cards (docs/proof.md).';

COMMENT ON FUNCTION "public"."get_job_proof"(uuid) IS 'What proves the stories of a job (docs/proof.md).';

REVOKE ALL ON FUNCTION "private"."get_job_proof"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."get_job_proof"(uuid) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "private"."proof_count"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."proof_count"(uuid) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "public"."get_job_proof"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."get_job_proof"(uuid) TO "authenticated", "postgres";
