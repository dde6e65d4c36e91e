-- Why: approving and declining a code are one operation with one order of checks; a batch is told the name of the tool that its agent
-- has; what can start says how much it frees as the cards do; the frame of a page counts what waits once.
set local check_function_bodies = off;

DROP FUNCTION "private"."approve_pairing"(uuid, text);

DROP FUNCTION "private"."cancel_pairing"(uuid, text);

CREATE OR REPLACE FUNCTION private.answer_pairing(p_pairing_id uuid, p_mobile_secret_hash text, p_status public.pairing_status)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_pairing public.login_pairings;
  v_now timestamptz;
  v_expires_at timestamptz;
begin
  -- User, then pairing: the order in which a password change locks them, which cancels what was approved before it.
  perform from public.users u where u.id = auth.uid() for share;
  select * into v_pairing from public.login_pairings p where p.id = p_pairing_id for update;
  v_now := private.now();

  perform private.require_pairing_guesses_left(v_pairing, auth.uid());
  if v_pairing.mobile_secret_hash is distinct from decode(p_mobile_secret_hash, 'hex') then
    return private.note_wrong_pairing_secret(p_pairing_id, auth.uid());
  end if;

  if v_pairing.status <> 'PENDING' or v_pairing.expires_at <= v_now then
    raise exception using errcode = 'PT410',
      message = 'This code has expired or was already answered. Show a new code on the other device.';
  end if;

  if p_status = 'APPROVED' then
    v_expires_at := v_now + interval '5 minutes';
    update public.login_pairings
    set status = p_status, user_id = auth.uid(), approved_in = private.own_session_id(), approved_at = v_now, expires_at = v_expires_at
    where id = p_pairing_id;
  else
    update public.login_pairings set status = p_status where id = p_pairing_id;
  end if;
  perform private.audit(auth.uid(), auth.uid(), case when p_status = 'APPROVED' then 'pairing.approved' else 'pairing.declined' end,
    jsonb_build_object('pairing_id', p_pairing_id, 'desktop_ua', v_pairing.desktop_ua, 'desktop_ip', v_pairing.desktop_ip));
  return json_strip_nulls(json_build_object('pairing_id', p_pairing_id, 'status', lower(p_status::text), 'expires_at', v_expires_at));
end;
$function$;

CREATE OR REPLACE FUNCTION private.hold_execution(p_job public.agent_jobs, p_task_id uuid)
 RETURNS public.task_executions
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_execution public.task_executions;
begin
  if p_job.kind <> 'SPRINT_IMPLEMENTATION' then
    perform private.refuse(422, 'This job is no batch. Report it with update_job_status.');
  end if;
  select e.* into v_execution from public.task_executions e
  where e.sprint_run_id = p_job.sprint_run_id and e.task_id = p_task_id for update;
  if not found then
    perform private.refuse(404, 'This task is not, or no longer, in the scope of the batch run. The job is still yours: go on with the next task.');
  end if;
  return v_execution;
end;
$function$;

CREATE OR REPLACE FUNCTION private.list_ready(p_product_id uuid, p_limit integer)
 RETURNS json
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.require_product_access(p_product_id);
  return (
    select coalesce(json_agg(row_to_json(x)), '[]')
    from (
      select t.id, t.code, t.title, private.task_status_word(t.status) as status, t.priority, s.id as story_id, s.code as story_code,
        '[]'::json as blocked_by,
        private.frees(t.id) as frees,
        p.status is not distinct from 'ACTIVE' and coalesce(t.implementation_plan, '') ~ '\S' as dispatchable
      from public.tasks t
      join public.stories s on s.id = t.story_id
      join public.pbis b on b.id = s.pbi_id
      left join public.sprints p on p.id = s.sprint_id
      where t.product_id = p_product_id and t.status = 'TO_DO' and b.status <> 'BLOCKED'
        and not exists (select from private.task_blockers k where k.task_id = t.id and not k.resolved)
      order by (p.status is not distinct from 'ACTIVE') desc, s.sort_order, s.created_at, s.id, t.sort_order, t.created_at, t.id
      limit least(greatest(coalesce(p_limit, 50), 1), 200)
    ) x
  );
end;
$function$;

CREATE OR REPLACE FUNCTION public.get_shell(p_active_product_id uuid DEFAULT NULL::uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return json_build_object(
    'products', (
      select coalesce(json_agg(row_to_json(p) order by lower(p.name), p.id), '[]')
      from (
        select p.id, p.code, p.name
        from public.products p
        where p.archived_at is null and p.id in (select private.accessible_product_ids())
      ) p),
    'active_sprint_id', (
      select s.id from public.sprints s where s.product_id = p_active_product_id and s.status = 'ACTIVE'),
    'inbox', private.inbox_count()
  );
end;
$function$;

COMMENT ON FUNCTION public.get_shell(uuid) IS 'The frame of every signed-in page: products, active sprint, the inbox.';

CREATE OR REPLACE FUNCTION public.approve_pairing(p_pairing_id uuid, p_mobile_secret_hash text)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform private.require_no_demo();
  return private.answer_pairing(p_pairing_id, p_mobile_secret_hash, 'APPROVED');
end;
$function$;

CREATE OR REPLACE FUNCTION public.cancel_pairing(p_pairing_id uuid, p_mobile_secret_hash text)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform private.require_no_demo();
  return private.answer_pairing(p_pairing_id, p_mobile_secret_hash, 'CANCELLED');
end;
$function$;

COMMENT ON FUNCTION "private"."answer_pairing"(uuid, text, public.pairing_status) IS 'Approves (APPROVED) or declines (CANCELLED) a pending pairing for the caller.';

REVOKE ALL ON FUNCTION "private"."answer_pairing"(uuid, text, public.pairing_status) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."answer_pairing"(uuid, text, public.pairing_status) TO "authenticated", "postgres";
