-- Pages that show a story follow its proof. One event per story, not per line. The argument is the entity.
-- Definer: every write sends its event, but no client may call private.emit (docs/proof.md).
create function private.tg_any__emit_proof() returns trigger language plpgsql security definer set search_path = '' as $$
begin
  perform private.emit('product:' || n.product_id, jsonb_build_object('op', left(tg_op, 1), 'entity', tg_argv[0], 'id', n.id,
    'product_id', n.product_id, 'story_id', n.story_id))
  from (select distinct on (c.story_id) c.* from changed c) n;
  return null;
end;
$$;
create trigger _900_emit after insert on public.evidence
  referencing new table as changed
  for each statement execute function private.tg_any__emit_proof('evidence');
create trigger _901_emit after update on public.evidence
  referencing new table as changed
  for each statement execute function private.tg_any__emit_proof('evidence');
create trigger _900_emit after insert on public.waivers
  referencing new table as changed
  for each statement execute function private.tg_any__emit_proof('waiver');

-- A DONE that is not proven changes nothing; the refusal lists what is missing (docs/proof.md).
create function private.refuse_unproven(p_missing jsonb)
returns void language plpgsql volatile set search_path = '' as $$
begin
  perform private.refuse(422, format('Not done yet: %s of the story %s not proven. Send evidence for each (update_job_status, evidence) that a worker has seen, then report done again.',
      case jsonb_array_length(p_missing) when 1 then '1 criterion' else jsonb_array_length(p_missing) || ' criteria' end,
      case jsonb_array_length(p_missing) when 1 then 'is' else 'are' end),
    jsonb_build_object('issues', p_missing));
end;
$$;

-- Evidence and waivers are for a criterion as it reads now. A line edited since is another criterion (docs/proof.md).
create function private.require_criterion(p_story_id uuid, p_criterion text, p_place integer)
returns text language plpgsql volatile set search_path = '' as $$
declare
  v_text text;
begin
  select c.text into v_text
  from public.stories s
  join public.products p on p.id = s.product_id
  cross join lateral private.criteria_of(s.acceptance_criteria, p.definition_of_done) c
  where s.id = p_story_id and c.id = p_criterion;
  if v_text is null then
    perform private.refuse_evidence(p_place, 'criterion',
      format('The story has no criterion %s: it may have been edited meanwhile. Read the criteria again (GET /api/stories/:id/evidence).',
        coalesce(left(p_criterion, 40), '?')));
  end if;
  return v_text;
end;
$$;

-- A gate on jobs is worthless if a token can set the task's status directly. People can: they vouch for it by setting it.
-- Work that waits for a verdict leaves its review by one; where a person or CI decides, no token sets
-- done; and no work is done whose plan waits for a person.
-- Definer: called before a write that runs as the caller; the answer reveals only what is missing (docs/proof.md).
create function private.require_proof(p_task_id uuid, p_status public.task_status)
returns void language plpgsql volatile security definer set search_path = '' as $$
declare
  v_task public.tasks;
  v_required public.done_requires;
  v_missing jsonb;
begin
  select t.* into v_task from public.tasks t where t.id = p_task_id;
  if p_status is null or p_status = v_task.status or not private.is_token() then
    return;
  end if;
  select p.done_requires into v_required from public.products p where p.id = v_task.product_id;
  if private.awaits_verdict(v_task) or (v_task.status = 'REVIEW' and v_required in ('ci', 'person')) then
    perform private.refuse(403, format('%s waits for a review. A person approves it, requests changes or moves it, signed in; a token can only request changes.', v_task.code));
  end if;
  if p_status = 'DONE' and v_required in ('ci', 'person') then
    perform private.refuse(403, format('In this product %s decides that %s is done. Set it to review.',
      case v_required when 'ci' then 'CI or a person' else 'a person' end, v_task.code));
  end if;
  if p_status <> 'DONE' then
    return;
  end if;
  if exists (
    select from public.agent_jobs j
    where j.status in ('QUEUED', 'CLAIMED', 'RUNNING') and private.needs_approved_plan(j, p_task_id) and (j.task_id = p_task_id
      or j.sprint_run_id in (select e.sprint_run_id from public.task_executions e where e.task_id = p_task_id)))
  then
    perform private.refuse_unapproved();
  end if;
  v_missing := case when v_required <> 'none' and private.finishes_story(p_task_id)
    then private.missing_proof(array[v_task.story_id], v_required::text::public.evidence_grade) end;
  if v_missing is not null then
    perform private.refuse_unproven(v_missing);
  end if;
end;
$$;
grant execute on function private.require_proof to authenticated;

-- Whether finished work of a task waits for a verdict: its job does, or it is a part of a batch that is not over.
create function private.awaits_verdict(p_task public.tasks)
returns boolean language plpgsql stable set search_path = '' as $$
begin
  return exists (
    select from public.agent_jobs j where j.task_id = p_task.id and j.status = 'QUEUED' and j.phase = 'review' and j.kind = 'TASK_IMPLEMENTATION')
    or (p_task.status = 'REVIEW' and exists (
      select from public.task_executions e join public.agent_jobs j on j.sprint_run_id = e.sprint_run_id
      where e.task_id = p_task.id and e.status = 'DONE' and j.status in ('QUEUED', 'CLAIMED', 'RUNNING')));
end;
$$;
