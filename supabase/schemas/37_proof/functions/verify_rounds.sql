-- Why: how often another worker found a fault in the work of a job.
create function private.verify_rounds(p_job_id uuid)
returns integer
language plpgsql
stable
set search_path = ''
as $$
begin
  return (
    select count(distinct e.attempt) from public.evidence e
    where e.job_id = p_job_id and e.grade = 'other_worker' and e.verdict <> 'pass');
end;
$$;

comment on function private.verify_rounds is 'Verifications of a job that found a fault (docs/proof.md).';
