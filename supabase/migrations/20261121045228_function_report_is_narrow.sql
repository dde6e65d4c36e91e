-- Why: a report that ends or begins one task touches one story; a failure or a batch reaches further and needs the whole lock.
create function private.report_is_narrow(p_job_id uuid, p_status text)
returns boolean
language plpgsql
stable
set search_path = ''
as $$
begin
  return coalesce(p_status in ('RUNNING', 'DONE', 'SKIPPED'), false) and exists (
    select from public.agent_jobs j where j.id = p_job_id and j.kind <> 'SPRINT_IMPLEMENTATION'
  );
end;
$$;

comment on function private.report_is_narrow(uuid, text) is
  'Whether a report may share the product''s lock (specification: Agent job).';
