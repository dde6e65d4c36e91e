-- One form of a piece of evidence for all readers (docs/proof.md).
create function private.evidence_json(p_evidence public.evidence, p_stale boolean)
returns json language plpgsql stable set search_path = '' as $$
begin
  return json_build_object('id', p_evidence.id, 'criterion', p_evidence.criterion, 'verdict', p_evidence.verdict,
    'grade', p_evidence.grade, 'kind', p_evidence.kind, 'command', p_evidence.command, 'exit_code', p_evidence.exit_code,
    'base_exit_code', p_evidence.base_exit_code, 'guards', p_evidence.guards, 'passed_before', p_evidence.passed_before,
    'excerpt', p_evidence.excerpt, 'url', p_evidence.url, 'file', private.file_json(p_evidence.file_id),
    'base_file', private.file_json(p_evidence.base_file_id), 'head_sha', p_evidence.head_sha, 'job_id', p_evidence.job_id,
    'attempt', p_evidence.attempt, 'observed_by', p_evidence.observed_by, 'stale', p_stale, 'voided_by', p_evidence.voided_by,
    'created_at', p_evidence.created_at);
end;
$$;

-- What the last verifier found, for the next attempt. Empty in other phases (docs/proof.md).
create function private.findings(p_job public.agent_jobs)
returns jsonb language plpgsql stable set search_path = '' as $$
begin
  return (
    select coalesce(jsonb_agg(jsonb_build_object('criterion', e.criterion, 'text', e.criterion_text, 'verdict', e.verdict,
      'command', e.command, 'exit_code', e.exit_code, 'excerpt', e.excerpt, 'observed_by', e.observed_by) order by e.seq), '[]')
    from public.evidence e
    where e.job_id = p_job.id and p_job.phase = 'implement' and e.grade = 'other_worker' and e.verdict <> 'pass'
      and e.attempt = (
        select max(l.attempt) from public.evidence l where l.job_id = p_job.id and l.grade = 'other_worker' and l.verdict <> 'pass')
  );
end;
$$;

-- The only writer of evidence. The criterion must be a current one of the story; an edited line counts as another one.
-- At a commit for which changes were requested, only a person's evidence proves anything (docs/proof.md).
create function private.insert_evidence(
  p_story_id uuid, p_line jsonb, p_grade public.evidence_grade, p_place integer, p_job public.agent_jobs,
  p_observer text
) returns public.evidence language plpgsql volatile set search_path = '' as $$
declare
  v_text text := private.require_criterion(p_story_id, p_line ->> 'criterion', p_place);
  v_evidence public.evidence;
begin
  if octet_length(p_line ->> 'excerpt') > 8192 then
    perform private.refuse_evidence(p_place, 'excerpt', 'An excerpt has at most 8 KiB: send the end that matters.');
  end if;
  perform private.require_link('url', p_line ->> 'url');
  perform private.require_evidence_file(p_story_id, p_line, 'file', p_place);
  perform private.require_evidence_file(p_story_id, p_line, 'base_file', p_place);
  if (select count(*) from public.evidence e where e.story_id = p_story_id and e.criterion = p_line ->> 'criterion') >= 500 then
    perform private.refuse_evidence(p_place, 'criterion', 'This criterion has 500 pieces of evidence, which is the most that is kept.');
  end if;

  insert into public.evidence (product_id, story_id, criterion, criterion_text, verdict, grade, kind, command, exit_code, base_exit_code,
    guards, passed_before, excerpt, url, file_id, base_file_id, head_sha, job_id, attempt, worker_id, user_id, observed_by, voided_by)
  select s.product_id, s.id, p_line ->> 'criterion', v_text,
    coalesce(p_line ->> 'verdict', 'pass')::public.evidence_verdict, p_grade,
    case when p_grade = 'person' then 'person'
      else coalesce(p_line ->> 'kind', case when p_line ->> 'command' is null then 'file' else 'command' end) end::public.evidence_kind,
    left(p_line ->> 'command', 2000), (p_line ->> 'exit_code')::integer, (p_line ->> 'base_exit_code')::integer,
    coalesce((p_line ->> 'guards')::boolean, false), p_grade <> 'person' and private.passed_before(p_story_id, p_line),
    p_line ->> 'excerpt', p_line ->> 'url', (p_line ->> 'file')::uuid, (p_line ->> 'base_file')::uuid, c.head_sha, p_job.id, p_job.attempt, p_job.worker_id, auth.uid(), p_observer,
    case when p_grade <> 'person' and coalesce(p_line ->> 'verdict', 'pass') = 'pass' then (
      select r.author from public.job_reviews r
      where r.product_id = s.product_id and r.verdict = 'request_changes' and r.head_sha = c.head_sha
      order by r.created_at desc limit 1) end
  from public.stories s
  left join public.story_heads h on h.story_id = s.id
  cross join lateral (select coalesce(left(p_line ->> 'head_sha', 64), p_job.head_sha, h.head_sha) as head_sha) c
  where s.id = p_story_id
  returning * into v_evidence;
  return v_evidence;
end;
$$;

-- Evidence shows files of the same product only.
create function private.require_evidence_file(p_story_id uuid, p_line jsonb, p_field text, p_place integer)
returns void language plpgsql volatile set search_path = '' as $$
begin
  if p_line ->> p_field is not null and not exists (
    select from public.files f join public.stories s on s.product_id = f.product_id
    where s.id = p_story_id and f.id::text = p_line ->> p_field)
  then
    perform private.refuse_evidence(p_place, p_field, 'There is no such file in this product. Send it to POST /api/files first.');
  end if;
end;
$$;

-- A command that also passes without the work proves nothing. Two exceptions: it guards existing behavior, which a
-- definition of done may ask for, or it failed before an earlier part of the same work (docs/proof.md).
create function private.passed_before(p_story_id uuid, p_line jsonb)
returns boolean language plpgsql stable set search_path = '' as $$
begin
  return coalesce(p_line ->> 'verdict', 'pass') = 'pass' and coalesce((p_line ->> 'base_exit_code')::integer = 0, false)
    and not (coalesce((p_line ->> 'guards')::boolean, false) and exists (
      select from public.stories s
      join public.products p on p.id = s.product_id
      cross join lateral private.criteria_of(s.acceptance_criteria, p.definition_of_done) c
      where s.id = p_story_id and c.id = p_line ->> 'criterion' and c.kind = 'definition_of_done'))
    and not exists (
      select from public.evidence e
      where e.story_id = p_story_id and e.criterion = p_line ->> 'criterion' and e.command = left(p_line ->> 'command', 2000)
        and e.verdict = 'pass' and e.base_exit_code <> 0);
end;
$$;

-- Evidence is about its commit, and stale once a later attempt moved the story's work on (docs/proof.md).
create function private.is_fresh(p_evidence public.evidence, p_head public.story_heads)
returns boolean language plpgsql immutable set search_path = '' as $$
begin
  return p_head.story_id is null
    or coalesce(p_evidence.head_sha = p_head.head_sha, false)
    or coalesce(p_evidence.job_id = p_head.job_id and p_evidence.attempt = p_head.attempt, false);
end;
$$;

-- The head of a story's work, and its attempt. Called under the lock of product or story (docs/proof.md).
create function private.note_head(p_story_id uuid, p_job public.agent_jobs, p_head_sha text)
returns void language plpgsql volatile set search_path = '' as $$
begin
  if p_head_sha is null or p_story_id is null or p_job.phase <> 'implement' then
    return;
  end if;
  insert into public.story_heads as h (story_id, head_sha, job_id, attempt)
  values (p_story_id, left(p_head_sha, 64), p_job.id, p_job.attempt)
  on conflict (story_id) do update
  set head_sha = excluded.head_sha, job_id = excluded.job_id, attempt = excluded.attempt, moved_at = excluded.moved_at
  where h.head_sha <> excluded.head_sha;
end;
$$;

-- Evidence that an attempt reports, in the transaction of its report. The grade says who observed it: the worker
-- program that ran the command ("worker", with its exit code), in the phase verify another worker, otherwise the
-- agent. Refusals: 422 with one issue for each invalid line.
create function private.record_evidence(p_job public.agent_jobs, p_evidence jsonb)
returns void language plpgsql volatile set search_path = '' as $$
declare
  v_line jsonb;
  v_place integer := -1;
  v_story_id uuid;
  v_worker text;
  v_grade public.evidence_grade;
begin
  if p_evidence is null or p_job.kind = 'PLAN_CHAT' then
    return;
  end if;
  select w.name into v_worker from public.agent_workers w where w.id = p_job.worker_id;
  for v_line in select jsonb_array_elements(p_evidence) loop
    v_place := v_place + 1;
    v_story_id := private.story_of_line(p_job, v_line, v_place);
    v_grade := case when p_job.phase = 'verify' then 'other_worker'
      when v_line ->> 'grade' = 'worker' then 'worker' else 'said' end;
    perform private.check_observation(v_line, v_grade, v_place);
    perform private.insert_evidence(v_story_id, v_line, v_grade, v_place, p_job, coalesce(v_worker, 'a worker'));
  end loop;
end;
$$;

-- No procedure, no verdict. A worker's evidence needs the command and its exit code, which decides the verdict;
-- another worker's needs a command too, or a text that says what was checked (docs/proof.md).
create function private.check_observation(p_line jsonb, p_grade public.evidence_grade, p_place integer)
returns void language plpgsql volatile set search_path = '' as $$
declare
  v_exit integer := (p_line ->> 'exit_code')::integer;
begin
  if p_grade = 'worker' and (coalesce(p_line ->> 'command', '') !~ '\S' or v_exit is null) then
    perform private.refuse_evidence(p_place, 'command',
      'Evidence of grade "worker" needs the command that the worker ran and its exit code. Without them, leave out the grade.');
  end if;
  if p_grade = 'other_worker' and coalesce(p_line ->> 'command', '') !~ '\S' and coalesce(p_line ->> 'excerpt', '') !~ '\S' then
    perform private.refuse_evidence(p_place, 'command',
      'A verdict needs a procedure: give the command that you ran, or say in excerpt what you looked at.');
  end if;
  if p_grade in ('worker', 'other_worker') and v_exit is not null
    and (v_exit = 0) <> (coalesce(p_line ->> 'verdict', 'pass') = 'pass') and p_line ->> 'verdict' is distinct from 'unverifiable' then
    perform private.refuse_evidence(p_place, 'verdict',
      'The verdict follows from the exit code: pass for 0, fail for any other.');
  end if;
end;
$$;

-- A batch reports for many stories; a line of evidence may name one, or is for the story at work (docs/proof.md).
create function private.story_of_line(p_job public.agent_jobs, p_line jsonb, p_place integer)
returns uuid language plpgsql volatile set search_path = '' as $$
declare
  v_story_id uuid := (p_line ->> 'story_id')::uuid;
  v_own uuid;
begin
  select t.story_id into v_own from public.tasks t where t.id = p_job.task_id;
  if v_story_id is null or v_story_id = v_own then
    return v_own;
  end if;
  if p_job.kind = 'SPRINT_IMPLEMENTATION' and exists (
    select from public.task_executions e join public.tasks t on t.id = e.task_id
    where e.sprint_run_id = p_job.sprint_run_id and t.story_id = v_story_id
  ) then
    return v_story_id;
  end if;
  perform private.refuse_evidence(p_place, 'story_id', 'This story does not belong to the job.');
  return null;
end;
$$;

-- The refusal of many lines says which one is wrong (docs/proof.md).
create function private.refuse_evidence(p_place integer, p_field text, p_message text)
returns void language plpgsql volatile set search_path = '' as $$
begin
  perform private.refuse(422, p_message, jsonb_build_object('issues', jsonb_build_array(jsonb_build_object(
    'path', case when p_place is null then p_field else format('evidence.%s.%s', p_place, p_field) end, 'message', p_message))));
end;
$$;

-- Requesting changes means that the work is not right, despite its evidence: none of it proves a criterion any more,
-- and a later commit must prove it again. Failed evidence stays, and a token cannot void a person's (docs/proof.md).
create function private.void_proof(p_job public.agent_jobs)
returns void language plpgsql volatile set search_path = '' as $$
declare
  v_stories uuid[] := case when p_job.kind = 'SPRINT_IMPLEMENTATION' then private.stories_to_finish(p_job)
    else array(select t.story_id from public.tasks t where t.id = p_job.task_id) end;
begin
  update public.evidence e
  set voided_by = coalesce(private.username(auth.uid()), 'someone')
  where e.story_id = any (v_stories) and e.verdict = 'pass' and e.voided_by is null
    and (e.grade <> 'person' or not private.is_token());
end;
$$;
