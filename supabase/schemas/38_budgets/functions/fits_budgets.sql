-- Why: whether a job may begin although some budgets are full: it falls under none of them, or a person lets it finish.
create function private.fits_budgets(p_job_id uuid, p_full uuid[])
returns boolean
language plpgsql
stable
set search_path = ''
as $$
begin
  return not exists (
    select from public.agent_jobs j
    join public.budgets b on b.id = any (p_full) and j.id <> all (b.finish_job_ids)
    where j.id = p_job_id and private.budget_covers(b, j)
  );
end;
$$;

comment on function private.fits_budgets is 'Whether a job falls under none of the given budgets.';
