-- Why: a gate on jobs is worthless if a token can set the task to done directly. People can: they vouch for it by
-- setting it.
-- Definer: called before a write that runs as the caller; the answer reveals only what is missing.
create function private.require_proof(p_task_id uuid, p_status public.task_status)
returns void
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  v_missing jsonb;
begin
  if p_status is distinct from 'DONE' or not private.is_token() then
    return;
  end if;
  if exists (
    select from public.tasks t
    join public.products p on p.id = t.product_id
    where t.id = p_task_id and t.status = 'REVIEW' and p.done_requires in ('ci', 'person')
      and (t.id in (
          select j.task_id from public.agent_jobs j where j.task_id = t.id and j.status = 'QUEUED' and j.phase = 'review')
        or t.id in (
          select e.task_id from public.task_executions e join public.sprint_runs r on r.id = e.sprint_run_id
          where e.task_id = t.id and e.status = 'DONE' and r.status in ('QUEUED', 'RUNNING', 'PAUSED'))))
  then
    perform private.refuse(403, 'This task waits for its review or for CI: only a person can set it to done before that.');
  end if;
  select private.missing_proof(array[t.story_id], p.done_requires::text::public.evidence_grade) into v_missing
  from public.tasks t
  join public.products p on p.id = t.product_id
  where t.id = p_task_id and p.done_requires not in ('none', 'ci') and private.finishes_story(t.id);
  if v_missing is not null then
    perform private.refuse_unproven(v_missing);
  end if;
end;
$$;

comment on function private.require_proof is 'PT422 for a token that would finish a story that is not proven, PT403 for a task that waits for a person (docs/proof.md).';

grant execute on function private.require_proof to authenticated;
