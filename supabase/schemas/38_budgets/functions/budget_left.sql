-- Why: the most a claimed job may use, by unit: the smallest remainder of its budgets, as its claim found them, and
-- what a task is expected to use.
create function private.budget_left(p_job public.agent_jobs, p_rooms private.budget_room[])
returns table (unit text, amount numeric, need numeric)
language plpgsql
stable
set search_path = ''
as $$
begin
  return query
    select r.unit, greatest(0, min(r.room)), min(r.need)
    from unnest(p_rooms) r
    join public.budgets b on b.id = r.budget_id
    where r.room is not null and p_job.id <> all (b.finish_job_ids) and private.budget_covers(b, p_job)
    group by r.unit;
end;
$$;

comment on function private.budget_left is 'What is left for a job of the budgets that it falls under.';
