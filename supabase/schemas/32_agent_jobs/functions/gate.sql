-- Why: the one verification gate for jobs and executions. Returns DONE or SKIPPED, or null when a DONE does not pass.
-- EMPTY is checked first: the work already exists, so SKIPPED, unless the task only verifies.
create function private.gate(
  p_required public.verify_required, p_result public.verify_result, p_verify_only boolean)
returns text
language plpgsql
immutable
set search_path = ''
as $$
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

comment on function private.gate is
  'Whether a verification result lets a task pass (specification: Task, verify_required; Agent job, verify_result).';
