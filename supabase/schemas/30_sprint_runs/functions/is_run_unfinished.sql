-- Why: work still returns to its run, and its branch queue advances, only while the run is unfinished.
create function private.is_run_unfinished(p_sprint_run_id uuid)
returns boolean
language plpgsql
stable
set search_path = ''
as $$
begin
  return exists (
    select from public.sprint_runs r where r.id = p_sprint_run_id and r.status in ('QUEUED', 'RUNNING', 'PAUSED'));
end;
$$;

comment on function private.is_run_unfinished is 'Whether a run has not ended (specification: Sprint run).';
