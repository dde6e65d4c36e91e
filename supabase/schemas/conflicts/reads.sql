-- A claim includes both versions of each conflict: the newest for each branch the work did not merge with. Whether
-- it merges now, the worker sees in git (specification: Agent job).
create function private.conflict_payload(p_job public.agent_jobs)
returns json language plpgsql stable set search_path = '' as $$
begin
  return (
    select coalesce(json_agg(json_build_object('kind', c.kind, 'branch', c.branch, 'task_id', t.id, 'task_code', t.code,
      'ours_sha', c.ours_sha, 'theirs_sha', c.theirs_sha, 'files', c.files) order by c.created_at desc), '[]')
    from (
      select distinct on (x.kind, x.branch) x.*
      from public.job_conflicts x
      where x.job_id = p_job.id
      order by x.kind, x.branch, x.created_at desc
    ) c
    left join public.agent_jobs o on o.id = c.other_job_id
    left join public.tasks t on t.id = o.task_id
  );
end;
$$;

-- Tasks on the same file, and a job that resolves a conflict: they block nothing (docs/troubleshooting.md).
create function private.conflict_reasons(p_kind text, p_id uuid)
returns jsonb language plpgsql stable set search_path = '' as $$
declare
  v_job public.agent_jobs;
  v_run public.sprint_runs;
  v_reasons jsonb;
begin
  if p_kind = 'run' then
    select r.* into v_run from public.sprint_runs r where r.id = p_id;
  else
    select j.* into v_job from public.agent_jobs j
    where (p_kind = 'job' and j.id = p_id or p_kind = 'task' and j.task_id = p_id) and j.status in ('QUEUED', 'CLAIMED', 'RUNNING')
    order by j.created_at desc, j.id limit 1;
    select r.* into v_run from public.sprint_runs r where r.id = v_job.sprint_run_id;
  end if;
  if v_run.id is null then
    return '[]';
  end if;

  select coalesce(jsonb_agg(jsonb_build_object('code', 'conflict', 'blocking', false, 'job_id', j.id, 'task_id', j.task_id,
    'message', format('%s does not merge with %s in %s and goes back to work with both versions.', t.code,
      case c.kind when 'base' then 'the main branch' when 'branch' then 'its branch, which has moved on' else coalesce(o.code, 'another task') end,
      (select string_agg(f ->> 'path', ', ') from (select * from jsonb_array_elements(c.files) limit 5) x (f)))) order by j.position), '[]')
  into v_reasons
  from public.agent_jobs j
  join public.tasks t on t.id = j.task_id
  cross join lateral (select k.* from public.job_conflicts k where k.job_id = j.id order by k.created_at desc limit 1) c
  left join public.agent_jobs oj on oj.id = c.other_job_id
  left join public.tasks o on o.id = oj.task_id
  where j.sprint_run_id = v_run.id and j.status = 'QUEUED' and c.decision = 'home' and c.attempt = j.attempt
    and (p_kind = 'run' or j.id = v_job.id);

  return v_reasons || (
    select coalesce(jsonb_agg(jsonb_build_object('code', 'overlap', 'blocking', false, 'tasks', p -> 'tasks', 'files', p -> 'files',
      'message', format('%s and %s both change %s.', p -> 'tasks' -> 0 ->> 'code', p -> 'tasks' -> 1 ->> 'code',
        (select string_agg(f, ', ') from jsonb_array_elements_text(p -> 'files') f)))), '[]')
    from jsonb_array_elements(private.run_overlaps(v_run)) p
    where p_kind = 'run' or v_job.task_id::text in (p -> 'tasks' -> 0 ->> 'id', p -> 'tasks' -> 1 ->> 'id'));
end;
$$;

-- Two tasks on separate branches may change the same file; people see it before the merge. Known files are those of the
-- newest diff, and for a job at work also those its agent reports editing. A pair counts while one of them is at work.
create function private.run_overlaps(p_run public.sprint_runs)
returns jsonb language plpgsql stable set search_path = '' as $$
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
