-- One verification for a job's task and for a task of a batch: the worker sends its verdict, the changed files, or
-- both; without changed files the result is EMPTY for every verdict. Stores the result with the evidence and returns
-- what the gate would decide. Called under the product lock by an attempt that holds the job (specification: Agent job,
-- verify_result).
create function private.verify_work(
  p_job public.agent_jobs, p_execution public.task_executions, p_verify_result text, p_changed_files jsonb,
  p_evidence jsonb, p_base_sha text, p_head_sha text
) returns json language plpgsql volatile set search_path = '' as $$
declare
  v_task public.tasks;
  v_plan text := coalesce(p_execution.plan_snapshot, p_job.plan_snapshot);
  v_required public.verify_required;
  v_result public.verify_result;
  v_outcome text;
  v_missing jsonb;
begin
  if jsonb_typeof(coalesce(p_changed_files, '[]')) <> 'array' or length(coalesce(p_changed_files, '[]')::text) > 262144
    or length(coalesce(p_evidence, '{}')::text) > 65536 then
    perform private.refuse(422, 'changed_files must be a list of paths (256 KiB at most), evidence at most 64 KiB of JSON.');
  end if;
  select t.* into v_task from public.tasks t where t.id = coalesce(p_execution.task_id, p_job.task_id);
  v_required := coalesce(p_execution.verify_required, v_task.verify_required);
  v_result := coalesce(
    case when jsonb_array_length(p_changed_files) = 0 then 'EMPTY'::public.verify_result end,
    private.require_choice('verify_result', p_verify_result, array['ALIGNED', 'PARTIAL', 'EMPTY', 'DIVERGENT'])::public.verify_result,
    private.classify_diff(v_plan, p_changed_files));
  if v_result is null then
    perform private.refuse(422, 'Give verify_result (aligned, partial, empty, divergent) or changed_files.');
  end if;

  if p_execution.id is not null then
    update public.task_executions e set verify_result = v_result where e.id = p_execution.id;
  end if;
  update public.agent_jobs j
  set verify_result = case when p_execution.id is null then v_result else j.verify_result end,
      base_sha = coalesce(j.base_sha, left(p_base_sha, 64)), head_sha = coalesce(left(p_head_sha, 64), j.head_sha),
      evidence = coalesce(p_evidence, j.evidence)
  where j.id = p_job.id;

  perform private.note_head(v_task.story_id, p_job, p_head_sha);

  v_outcome := private.end_after_verify(v_required, v_result, v_task.verify_only);
  v_missing := case when v_outcome = 'DONE' then private.proof_gap(v_task.id) end;
  if v_missing is not null then
    v_outcome := null;
  end if;
  return json_build_object('job_id', p_job.id, 'task_id', v_task.id, 'task_code', v_task.code,
    'execution_id', p_execution.id, 'verify_result', v_result, 'verify_required', v_required,
    'verify_only', v_task.verify_only, 'passes', v_outcome is not null, 'report', lower(v_outcome),
    'plan', v_plan, 'missing', coalesce(v_missing, '[]'),
    'hint', case v_outcome
      when 'DONE' then 'The gate is open: report done.'
      when 'SKIPPED' then 'Nothing differs from the main branch: the work is already present. Report skipped.'
      else case when v_missing is not null then 'Not proven yet, and the product requires it: '
        || (select string_agg(m ->> 'message', ' ') from jsonb_array_elements(v_missing) m)
      else format('The gate needs %s. Finish what is missing and verify again, or report failed with failure_class verification_failed.', v_required) end
    end);
end;
$$;

-- If a worker sends changed files but no verdict, they are compared with the files the plan names: none changed is
-- EMPTY, all named ones ALIGNED, some PARTIAL, none of them DIVERGENT. A plan that names no file cannot be confirmed,
-- so it is PARTIAL. Names may have any letters, but no quotation marks (specification: Agent job, verify_result).
create function private.classify_diff(p_plan text, p_changed_files jsonb)
returns public.verify_result language plpgsql immutable set search_path = '' as $$
declare
  v_named integer;
  v_changed integer;
begin
  if p_changed_files is null then
    return null;
  end if;
  if jsonb_array_length(p_changed_files) = 0 then
    return 'EMPTY';
  end if;

  select count(*), count(*) filter (where exists (
    select from jsonb_array_elements_text(p_changed_files) f
    where f = n.path or f like '%/' || replace(replace(n.path, '%', '\%'), '_', '\_')
  ))
  into v_named, v_changed
  from (
    select distinct ltrim(m[1], './') as path
    from regexp_matches(left(coalesce(p_plan, ''), 100000), '([A-Za-z0-9_./\u00c0-\u1fff\u2c00-\u2dff\u3040-\ud7ff-]*[A-Za-z0-9_\u00c0-\u1fff\u2c00-\u2dff\u3040-\ud7ff-]\.[A-Za-z][A-Za-z0-9]{0,5})(?![A-Za-z0-9])', 'g') m
    where m[1] !~ '^(e\.g|i\.e)$'
  ) n;

  return case when v_named = 0 then 'PARTIAL' when v_changed = v_named then 'ALIGNED'
    when v_changed > 0 then 'PARTIAL' else 'DIVERGENT' end;
end;
$$;

-- The one gate for jobs and executions. DONE, SKIPPED, or null when a DONE does not pass. EMPTY comes first: the work
-- exists, so SKIPPED, unless it only verifies (specification: Task, verify_required; Agent job, verify_result).
create function private.end_after_verify(p_required public.verify_required, p_result public.verify_result, p_verify_only boolean)
returns text language plpgsql immutable set search_path = '' as $$
begin
  if p_result = 'EMPTY' then
    return case when p_verify_only then 'DONE' else 'SKIPPED' end;
  end if;
  return case
    when p_required = 'ANY' then 'DONE'
    when p_result = 'ALIGNED' then 'DONE'
    when p_result = 'PARTIAL' and p_required = 'ALIGNED_OR_PARTIAL' then 'DONE'
  end;
end;
$$;
