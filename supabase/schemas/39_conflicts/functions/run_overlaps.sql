-- Why: two tasks on separate branches may change the same file; people see it before the merge. Known files are those
-- of the newest diff, and for a job at work also those its agent reports editing. A pair counts while one of them is at
-- work.
create function private.run_overlaps(p_run public.sprint_runs)
returns jsonb
language plpgsql
stable
set search_path = ''
as $$
begin
  if p_run.finished_at is not null or p_run.pr_strategy <> 'STORY' or not exists (
    select from public.agent_jobs j where j.sprint_run_id = p_run.id and j.status in ('CLAIMED', 'RUNNING'))
  then
    return '[]';
  end if;
  return (
    with jobs as (
      select j.id, j.branch, j.attempt, j.position, j.status in ('CLAIMED', 'RUNNING') as at_work, t.id as task_id, t.code
      from public.agent_jobs j join public.tasks t on t.id = j.task_id
      where j.sprint_run_id = p_run.id and j.attempt > 0 and j.status in ('QUEUED', 'CLAIMED', 'RUNNING', 'DONE')
      order by at_work desc, j.updated_at desc
      limit 50
    ), files as (
      select j.id, f.file ->> 'path' as path
      from jobs j
      cross join lateral (select d.files from public.job_diffs d where d.job_id = j.id order by d.attempt desc limit 1) d
      cross join lateral jsonb_array_elements(d.files) f (file)
      union
      select j.id, o.path
      from jobs j join public.job_outputs o on o.job_id = j.id and o.attempt = j.attempt
      where j.at_work and o.kind = 'edit' and o.path <> ''
    ), pairs as (
      select a.position, b.position as other_position, a.task_id, a.code, b.task_id as other_id, b.code as other_code,
        (array_agg(x.path order by x.path))[:10] as paths, count(*) as count
      from jobs a
      join jobs b on (a.position, a.id) < (b.position, b.id) and a.branch <> b.branch and (a.at_work or b.at_work)
      join files x on x.id = a.id
      join files y on y.id = b.id and y.path = x.path
      group by a.position, a.id, b.position, b.id, a.task_id, a.code, b.task_id, b.code
      order by a.position, b.position
      limit 20
    )
    select coalesce(jsonb_agg(jsonb_build_object('tasks', jsonb_build_array(
        jsonb_build_object('id', p.task_id, 'code', p.code), jsonb_build_object('id', p.other_id, 'code', p.other_code)),
      'files', p.paths, 'files_total', p.count) order by p.position, p.other_position), '[]')
    from pairs p
  );
end;
$$;

comment on function private.run_overlaps is 'Pairs of tasks of a run that change the same file at the moment: [{ tasks, files, files_total }].';
