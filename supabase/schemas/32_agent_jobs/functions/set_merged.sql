-- Why: since when work is known to be on the main branch, or null. Triggers count what waits for it again. Called under
-- the product lock.
create function private.set_merged(p_job_ids uuid[], p_merged_at timestamptz)
returns void
language plpgsql
volatile
set search_path = ''
as $$
begin
  update public.agent_jobs j set merged_at = p_merged_at where j.id = any (p_job_ids);
  update public.past_jobs j set merged_at = p_merged_at where j.id = any (p_job_ids);
end;
$$;

comment on function private.set_merged is 'Work has reached the main branch, or not after all (docs/dependencies.md).';
