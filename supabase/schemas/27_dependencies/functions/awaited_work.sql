-- Why: work that is done but still blocks these tasks, because its code is not on the main branch: for reasons, pages
-- and workers, each job once.
create function private.awaited_work(p_task_ids uuid[], p_limit integer default 20)
returns jsonb
language plpgsql
stable
set search_path = ''
as $$
begin
  return (
    select coalesce(jsonb_agg(to_jsonb(w) order by w.task_code), '[]')
    from (
      select distinct on (x.job_id) x.job_id, x.task_code, x.branch, x.head_sha
      from (
        select distinct b.kind, b.blocker_id
        from private.task_blockers b
        where b.task_id = any (p_task_ids) and b.status = 'done' and not b.resolved
      ) d
      cross join lateral private.unmerged_works(d.kind, d.blocker_id) x
      order by x.job_id, x.task_code
      limit p_limit
    ) w
  );
end;
$$;

comment on function private.awaited_work is 'Work that is done, not on the main branch yet, and waited for.';
