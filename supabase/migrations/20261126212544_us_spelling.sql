-- Why: names and comments of functions are spelled and worded as in the rest of the code.
set local check_function_bodies = off;

DROP FUNCTION "private"."normalised_title"(text);

CREATE OR REPLACE FUNCTION private.board_tasks(p_sprint_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    -- Computed once per story and once for all cards. Per card, they were half of the page's time in the database.
    with story as materialized (
      select s.id, s.created_at, s.code, s.title, s.sort_order, s.assignee_id, private.proof_count(s.id) as proof
      from public.stories s where s.sprint_id = p_sprint_id
    ), waiting as materialized (
      select x.blocker_id, count(*) as frees
      from (
        select d.blocker_id, d.blocked_id
        from story s join public.tasks t on t.story_id = s.id join public.task_dependencies d on d.blocker_id = t.id
        union
        select t.id, i.id
        from story s
        join public.story_dependencies d on d.blocker_id = s.id
        join public.tasks i on i.story_id = d.blocked_id
        join public.tasks t on t.story_id = s.id
      ) x
      join public.tasks i on i.id = x.blocked_id
      where i.status <> 'DONE'
      group by x.blocker_id
    )
    select coalesce(json_agg(row_to_json(t) order by t.story_sort_order, t.story_created_at, t.story_id, t.sort_order, t.created_at, t.id), '[]')
    from (
      select t.id, t.created_at, s.created_at as story_created_at, t.code, t.title, t.story_id, t.sort_order, t.priority,
        case t.status when 'TO_DO' then 'todo' else lower(t.status::text) end as status,
        t.implementation_plan is not null and t.implementation_plan <> '' as has_plan,
        s.code as story_code, s.title as story_title, s.sort_order as story_sort_order, s.assignee_id, t.label_ids,
        j.id as job_id, lower(j.status::text) as job_status, j.phase as job_phase, j.started_at as job_started_at,
        j.updated_at as job_seen_at,
        case when j.status in ('CLAIMED', 'RUNNING') then private.doing_now(j.id, j.attempt) end as job_doing,
        a.name as worker_name, j.holder_name,
        (
          select f.failure_reason from public.agent_jobs f
          where t.status = 'FAILED' and f.task_id = t.id and f.status = 'FAILED'
          order by f.finished_at desc limit 1
        ) as failure_reason,
        (
          select count(*) from public.agent_questions q
          where q.task_id = t.id and q.status = 'OPEN' and q.expires_at > private.now()
          and (q.reader_id is null or q.reader_id = auth.uid())
        ) as open_questions,
        (
          select coalesce(json_agg(b.code order by b.sort_order, b.code), '[]') from private.task_blockers b
          where b.task_id = t.id and not b.resolved and t.status <> 'DONE'
        ) as waits_for,
        coalesce(w.frees, 0) as frees,
        (
          select json_build_array(c.additions, c.deletions) from public.agent_jobs c
          where c.task_id = t.id and c.kind = 'TASK_IMPLEMENTATION' and c.additions is not null
          order by c.created_at desc limit 1
        ) as changes,
        (
          select json_build_object('number', p.number, 'url', p.url, 'state', p.state, 'draft', p.draft, 'ci', p.ci, 'review', p.review)
          from public.agent_jobs c
          join public.pulls p on p.product_id = c.product_id and p.branch = c.branch
          where c.task_id = t.id
          order by c.created_at desc, p.number desc limit 1
        ) as pull,
        s.proof
      from story s
      join public.tasks t on t.story_id = s.id
      left join waiting w on w.blocker_id = t.id
      left join lateral (
        select j.id, j.status, j.phase, j.attempt, j.started_at, j.updated_at, j.worker_id,
          case when j.taken_by is not null and private.is_in_hand(j) then private.username(j.taken_by) end as holder_name
        from public.agent_jobs j
        where j.task_id = t.id and j.kind = 'TASK_IMPLEMENTATION' and j.status in ('QUEUED', 'CLAIMED', 'RUNNING')
        order by j.created_at desc
        limit 1
      ) j on true
      left join public.agent_workers a on a.id = j.worker_id
    ) t
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.end_attempt(p_old public.agent_jobs, p_new public.agent_jobs)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_outcome text := lower(p_new.status::text);
begin
  -- Kept out of the update: most jobs end here without this lookup.
  if p_new.status = 'QUEUED' then
    v_outcome := case
      when p_new.phase = 'plan' then 'question'
      when p_new.phase <> p_old.phase then 'done'
      when private.awaits_choice(p_new) then 'failed'
      when p_new.fallback_agent is distinct from p_old.fallback_agent and p_new.failure_class <> 'rate_limited' then 'failed'
      when p_new.failure_class = 'rate_limited' then 'rate_limited'
      -- Only a verifier's report puts a job off; what is lost comes back at once.
      when p_new.failure_class is not null then case when p_new.not_before is null then 'lost' else 'failed_look' end
      when p_new.stopped_by_budget_id is not null then 'budget'
      when p_new.parked_question_id is not null then 'question'
      when exists (select from public.job_conflicts c where c.job_id = p_new.id and c.attempt = p_new.attempt and c.decision <> 'noted') then 'conflict'
      else 'returned'
    end;
  end if;
  update public.job_attempts a
  set ended_at = private.now(), head_sha = p_new.head_sha, outcome = v_outcome
  where a.job_id = p_new.id and a.attempt = p_new.attempt and a.ended_at is null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.normalized_title(p_title text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO ''
AS $function$
  select btrim(regexp_replace(lower(normalize(p_title, nfkc)), '\s+', ' ', 'g'), ' .,;:!?-');
$function$;

CREATE OR REPLACE FUNCTION private.recount_after_task(p_old public.tasks, p_new public.tasks)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_task_ids uuid[];
begin
  -- A batch counts the blockers of all its tasks, so this task is recounted too if it is in one.
  v_task_ids := array(
    select d.blocked_id from public.task_dependencies d where d.blocker_id = p_new.id
    union all
    (select e.task_id from public.task_executions e where e.task_id = p_new.id limit 1)
    union all
    select e.task_id from public.story_dependencies d
    join public.tasks t on t.story_id = d.blocked_id
    join public.task_executions e on e.task_id = t.id and e.status in ('PENDING', 'RUNNING')
    where d.blocker_id = p_new.story_id);
  if p_new.story_id <> p_old.story_id then
    perform private.refuse_moved_cycle(p_new.id);
    v_task_ids := v_task_ids || p_new.id || private.waiting_for('{}', array[p_old.story_id, p_new.story_id]);
  end if;
  if v_task_ids <> '{}' then
    perform private.recount_blocked(v_task_ids);
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.refuse_similar(p_kind text, p_parent_id uuid, p_title text)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_title text := private.normalized_title(p_title);
  v_found json;
  v_code text;
begin
  select json_build_object('kind', p_kind, 'id', x.id, 'code', x.code, 'title', x.title), x.code into v_found, v_code
  from (
    select p.id, p.code, p.title from public.pbis p
    where p_kind = 'pbi' and p.product_id = p_parent_id and p.status <> 'DONE'
    union all
    select s.id, s.code, s.title from public.stories s
    where p_kind = 'story' and s.pbi_id = p_parent_id and s.status <> 'DONE'
    union all
    select t.id, t.code, t.title from public.tasks t
    where p_kind = 'task' and t.story_id = p_parent_id and t.status <> 'DONE'
    union all
    select i.id, i.code, i.title from public.ideas i
    where p_kind = 'idea' and i.product_id = p_parent_id and i.user_id = auth.uid()
      and i.archived_at is null and i.status <> 'PLANNED'
  ) x
  where private.normalized_title(x.title) = v_title
  limit 1;
  if v_found is not null then
    raise exception using errcode = 'PT409',
      message = format('%s has this title and is not done. Work with that one, or send allow_duplicate: true for another.', v_code),
      detail = json_build_object('similar_exists', v_found)::text;
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.require_unblocked(p_task_id uuid, p_status public.task_status, p_confirmed boolean)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_task record;
  v_codes text[];
  v_words text;
begin
  if p_status is null or p_status not in ('IN_PROGRESS', 'REVIEW') then
    return;
  end if;
  -- Most tasks are not blocked, and this check is cheaper than listing blockers.
  if not exists (select from private.task_blockers b where b.task_id = p_task_id and not b.resolved) then
    return;
  end if;
  select array_agg(b.code order by b.sort_order, b.code), string_agg(b.code, ', ' order by b.sort_order, b.code)
  into v_codes, v_words
  from private.task_blockers b where b.task_id = p_task_id and not b.resolved;
  select t.code, t.product_id, t.status into v_task from public.tasks t where t.id = p_task_id;
  if v_task.status not in ('TO_DO', 'FAILED') then
    return;
  end if;

  if private.is_token() then
    perform private.refuse(409, format('%s is blocked by %s. Finish that first; only a person can start it anyway.', v_task.code, v_words),
      jsonb_build_object('blocked_by', v_codes));
  end if;
  if not coalesce(p_confirmed, false) then
    perform private.refuse(409, format('%s is blocked by %s. Finish that first, or start it anyway.', v_task.code, v_words), jsonb_build_object('blocked_by', v_codes,
      'begin', jsonb_build_object('task_id', p_task_id, 'status', private.task_status_word(p_status))));
  end if;
  perform private.audit(auth.uid(), auth.uid(), 'task.begun_waiting', jsonb_build_object('product_id', v_task.product_id,
    'task_id', p_task_id, 'code', v_task.code, 'blocked_by', v_codes));
end;
$function$;

CREATE OR REPLACE FUNCTION private.shorten_event(p_payload jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  -- Measuring the text costs more, and most events are small enough to skip it, even at six bytes a character.
  if pg_column_size(p_payload) < 1300 or octet_length(p_payload::text) < 7900 then
    return p_payload;
  end if;

  return (
    select jsonb_object_agg(
      f.key,
      case when jsonb_typeof(f.value) = 'string' then to_jsonb(left(f.value #>> '{}', 500)) else f.value end
    )
    from jsonb_each(p_payload) as f
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.worker_reasons(p_job public.agent_jobs)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_wants private.job_wants := (select g.wants from private.job_gates g where g.id = p_job.id);
  v_online integer;
  v_with_quota integer;
  v_without_consent text;
  v_confined integer;
  v_following integer;
  v_with_agent integer;
  v_able integer;
  v_repo_url text;
  v_written_by text;
begin
  select count(*) filter (where m.workers_allowed),
    count(*) filter (where m.workers_allowed and (w.last_quota_pct is null or w.last_quota_pct >= u.min_quota_pct)),
    string_agg(distinct u.username, ', ') filter (where not m.workers_allowed),
    count(*) filter (where m.workers_allowed and 'sandbox' <> all (x.gates)),
    count(*) filter (where m.workers_allowed and 'repository' <> all (x.gates)),
    count(*) filter (where m.workers_allowed and 'agent' <> all (x.gates)),
    count(*) filter (where m.workers_allowed and x.gates = '{}')
  into v_online, v_with_quota, v_without_consent, v_confined, v_following, v_with_agent, v_able
  from public.agent_workers w
  join public.users u on u.id = w.user_id
  join public.product_members m on m.user_id = w.user_id and m.product_id = p_job.product_id and m.role <> 'VIEWER'
  cross join lateral (select private.worker_gates(v_wants, row(w.user_id, w.id, w.confinement,
    w.also_repos, private.able_agents(w.offers, u.min_quota_pct))::private.asker) as gates) x
  where private.is_online(w.last_seen_at, w.stopped_at) and not x.gates && '{conversation,needs_other_worker}';

  if v_online = 0 and p_job.phase = 'verify' and v_without_consent is null then
    return jsonb_build_array(jsonb_build_object('code', 'needs_other_worker',
      'message', format('The work is done and must be reviewed by a worker other than %s. Start one under another name.',
        coalesce((select w.name from public.agent_workers w where w.id = p_job.author_worker_id), 'the one that did it'))));
  end if;
  if v_online = 0 and v_without_consent is not null then
    return jsonb_build_array(jsonb_build_object('code', 'consent',
      'message', format('Workers of %s are online but not allowed here yet. Each of them can press "Allow my workers" on the members page, or name the product to the worker.',
        v_without_consent)));
  end if;
  if v_online = 0 then
    return jsonb_build_array(jsonb_build_object('code', 'no_worker',
      'message', 'No worker is online. Start one: "Connect an agent" shows the command.',
      'command', private.agent_line(v_wants.agent)));
  end if;
  if v_with_quota = 0 then
    return jsonb_build_array(jsonb_build_object('code', 'quota',
      'message', format('%s online, all below the quota that their users want to keep (min_quota_pct).', v_online), 'workers_online', v_online));
  end if;
  if v_able > 0 then
    return '[]';
  end if;
  v_repo_url := regexp_replace(v_wants.own_repo, '://[^/?#]*@', '://');
  v_written_by := (select u.username from public.tasks t join public.users u on u.id = t.repo_url_by where t.id = p_job.task_id);
  -- If workers lack different things, only one is reported.
  return case when v_confined = 0 or (v_following > 0 and v_with_agent > 0 and v_wants.needs_sandbox) then jsonb_build_array(jsonb_build_object('code', 'sandbox',
      'message', format('The product requires a sandbox, and no online worker that could take the job has one. %s', private.sandbox_advice())))
      else '[]' end
    || case when v_following = 0 then jsonb_build_array(jsonb_build_object('code', 'repository',
      'message', format('The task has its own repository, %s%s, and no online worker follows it: %s', v_repo_url,
        ' (written by ' || v_written_by || ')', private.repository_advice(v_repo_url)),
      'repo_url', v_repo_url, 'written_by', v_written_by))
      else '[]' end
    || case when v_with_agent = 0 or (v_following > 0 and not v_wants.needs_sandbox) then private.agent_reasons(v_wants)
      else '[]' end;
end;
$function$;

REVOKE ALL ON FUNCTION "private"."normalized_title"(text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."normalized_title"(text) TO "authenticated", "postgres";
