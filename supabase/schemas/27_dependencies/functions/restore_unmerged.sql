-- Why: undo, when the owner marked the wrong task as merged. What it released is blocked again, unless an agent has
-- begun it: its work would build on code that is not there. Returns null, or the reason why it cannot. Called under the
-- product's lock.
create function private.restore_unmerged(p_change private.changes)
returns text
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_job private.works;
  v_begun text;
begin
  select w.* into v_job from private.works w where w.id = p_change.thing_id;
  if not found then
    return 'was deleted since';
  end if;
  perform private.require_product_owner(v_job.product_id);
  if v_job.merged_at is distinct from (p_change.after ->> 'merged_at')::timestamptz then
    return 'was changed since';
  end if;

  select string_agg(distinct private.code_of('job', a.id), ', ') into v_begun
  from public.agent_jobs a
  where a.product_id = v_job.product_id and a.claimed_at >= p_change.changed_at
    and private.tasks_of_job(a) && private.waiting_for(private.tasks_of_work(v_job.kind, v_job.task_id, v_job.sprint_run_id));
  if v_begun is not null then
    return format('unblocked work that an agent has started since (%s)', v_begun);
  end if;

  perform private.set_merged(array[v_job.id], null);
  perform private.audit(auth.uid(), auth.uid(), 'job.merge_taken_back', jsonb_build_object('product_id', v_job.product_id,
    'job_id', v_job.id, 'code', p_change.code, 'head_sha', v_job.head_sha));
  return null;
end;
$$;

comment on function private.restore_unmerged is 'Takes the owner''s word back that work is on the main branch, or says why it cannot.';
