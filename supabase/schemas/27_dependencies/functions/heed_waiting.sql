-- Why: people may start blocked tasks, but knowingly: they confirm once, and the audit trail records it. An API token
-- belongs to an agent, and no agent starts before its blockers are done. `begin` in the detail is what a page sends
-- again to confirm. Called before a write; work in progress is not affected.
-- Definer, like private.require_proof: the caller has write access, and learns only codes.
create function private.heed_waiting(p_task_id uuid, p_status public.task_status, p_confirmed boolean)
returns void
language plpgsql
volatile
security definer
set search_path = ''
as $$
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
$$;

comment on function private.heed_waiting is
  'PT409 for who begins a task that waits: agents always, people until they confirm (docs/dependencies.md).';

grant execute on function private.heed_waiting to authenticated;
