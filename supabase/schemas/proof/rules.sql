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

-- Evidence and waivers are for a criterion as it reads now. A line edited since is another criterion
-- (docs/proof.md).
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

-- A gate on jobs is worthless if a token can set the task to done directly. People can: they vouch for it by
-- setting it.
-- Definer: called before a write that runs as the caller; the answer reveals only what is missing (docs/proof.md).
create function private.require_proof(p_task_id uuid, p_status public.task_status)
returns void language plpgsql volatile security definer set search_path = '' as $$
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
grant execute on function private.require_proof to authenticated;
