-- Why: a change of a task costs agents less: it asks once for demo and archive, reads its status once, and asks what a task waits for only of one that waits.
set local check_function_bodies = off;

CREATE OR REPLACE FUNCTION private.heed_waiting(p_task_id uuid, p_status public.task_status, p_confirmed boolean)
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
  -- Most tasks wait for nothing, and that is asked more cheaply than what they wait for.
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
    perform private.refuse(409, format('%s waits for %s. Do that first; only a person may begin it before.', v_task.code, v_words),
      jsonb_build_object('blocked_by', v_codes));
  end if;
  if not coalesce(p_confirmed, false) then
    perform private.refuse(409, format('%s waits for %s. Do that first, or begin it all the same.', v_task.code, v_words), jsonb_build_object('blocked_by', v_codes,
      'begin', jsonb_build_object('task_id', p_task_id, 'status', private.task_status_word(p_status))));
  end if;
  perform private.audit(auth.uid(), auth.uid(), 'task.begun_waiting', jsonb_build_object('product_id', v_task.product_id,
    'task_id', p_task_id, 'code', v_task.code, 'blocked_by', v_codes));
end;
$function$;

CREATE OR REPLACE FUNCTION private.require_product_write(p_product_id uuid)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_archived boolean;
  v_demo boolean;
begin
  -- Both in one statement: every write asks this.
  select p.archived_at is not null, u.is_demo into v_archived, v_demo
  from public.products p
  left join public.users u on u.id = auth.uid()
  where p.id = p_product_id;

  if v_demo is distinct from false then
    perform private.require_no_demo();
  end if;
  if v_archived then
    raise exception using errcode = 'PT403',
      message = 'This product is archived and can only be read. Restore it to make changes.';
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.update_task(p_task_id uuid, p_status text, p_implementation_plan text, p_verify_only boolean, p_verify_required text)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_status public.task_status;
  v_answer jsonb;
begin
  if p_status is null and p_implementation_plan is null then
    raise exception using errcode = 'PT422', message = 'Give at least one of status and implementation_plan.',
      detail = '{"issues":[{"path":"","message":"At least one of status and implementation_plan is required."}]}';
  end if;
  perform private.parse_choice('status', p_status, '{todo,in_progress,done}');
  perform private.parse_choice('verify_required', p_verify_required, '{ALIGNED,ALIGNED_OR_PARTIAL,ANY}');
  perform private.require_write('task', p_task_id);
  v_status := private.parse_task_status(p_status);
  perform private.require_proof(p_task_id, v_status), private.heed_waiting(p_task_id, v_status, false);

  update public.tasks t
  set status = coalesce(v_status, t.status),
      implementation_plan = coalesce(p_implementation_plan, t.implementation_plan),
      verify_only = coalesce(p_verify_only, t.verify_only),
      verify_required = coalesce(p_verify_required::public.verify_required, t.verify_required)
  where t.id = p_task_id
  returning jsonb_build_object(
    'id', t.id,
    'status', case t.status when 'TO_DO' then 'todo' else lower(t.status::text) end,
    'implementation_plan', t.implementation_plan
  )
  into v_answer;
  return v_answer || private.released();
end;
$function$;
