-- Where the next run starts: one line per story and branch, with its newest head (docs/worker.md).
create function private.beginnings(p_story_ids uuid[]) returns jsonb language plpgsql stable set search_path = '' as $$
begin
  return (
    select coalesce(jsonb_agg(jsonb_build_object('story_id', h.story_id, 'story_code', h.story_code, 'branch', h.branch,
      'head_sha', h.head_sha, 'job_id', h.job_id, 'task_code', h.task_code, 'commits', h.commits,
      'message', format('%s continues %s, %s', h.story_code, h.branch, case
        when h.commits is null then 'not on main'
        when h.commits = 1 then '1 commit not on main'
        else h.commits || ' commits not on main' end))
      order by h.story_code, h.finished_at), '[]')
    from (
      select distinct on (w.story_id, w.branch) w.*
      from private.unlanded_work(p_story_ids) w
      order by w.story_id, w.branch, w.finished_at desc
    ) h);
end;
$$;
grant execute on function private.beginnings to authenticated;

-- The commits a claim's branch must contain before work begins: of its story, or of all of the sprint (without a
-- sprint, of the run) if they share a branch. Oldest first, each commit once, in the repository of the job. Empty if an
-- earlier job of the run has pushed the branch: that one has merged them (specification: Agent job; docs/worker.md).
create function private.begins_from(p_job public.agent_jobs)
returns json language plpgsql stable set search_path = '' as $$
declare
  v_run public.sprint_runs;
  v_story_ids uuid[];
  v_repo_url text;
begin
  select r.* into v_run from public.sprint_runs r where r.id = p_job.sprint_run_id;
  if v_run.id is null or p_job.phase = 'verify' or p_job.kind = 'PLAN_CHAT' then
    return '[]';
  end if;
  v_repo_url := (select coalesce(nullif(t.repo_url, ''), p.repo_url)
    from public.tasks t join public.products p on p.id = t.product_id where t.id = p_job.task_id);
  if exists (
    select from public.agent_jobs j
    join public.tasks t on t.id = j.task_id
    join public.products p on p.id = t.product_id
    where j.sprint_run_id = v_run.id and j.lane_id = p_job.lane_id and j.status = 'DONE' and j.pushed_at is not null
      and coalesce(nullif(t.repo_url, ''), p.repo_url) = v_repo_url)
  then
    return '[]';
  end if;
  v_story_ids := case v_run.pr_strategy
    when 'STORY' then array(select t.story_id from public.tasks t where t.id = p_job.task_id)
    else array(
      select s.id from public.stories s where s.sprint_id = v_run.sprint_id
      union
      select t.story_id from private.run_tasks(v_run.id) x join public.tasks t on t.id = x.task_id where v_run.sprint_id is null) end;
  return (
    select coalesce(json_agg(json_build_object('story_id', h.story_id, 'story_code', h.story_code, 'task_id', h.task_id,
      'task_code', h.task_code, 'job_id', h.job_id, 'judged', h.judged, 'branch', h.branch, 'base_sha', h.base_sha, 'head_sha', h.head_sha)
      order by h.finished_at, h.story_code, h.task_code), '[]')
    from (
      select distinct on (w.head_sha) w.*
      from private.unlanded_work(v_story_ids, v_run.id) w
      where w.repo_url = v_repo_url
      order by w.head_sha, w.task_id = p_job.task_id desc, w.judged desc, w.finished_at
    ) h);
end;
$$;

-- A story's work that is not on the main branch is where its next run begins: after a review, a cancelled or
-- failed run, in another sprint or with another strategy. Work whose run has ended before its review counts too. Work before the last merge is left out,
-- and so is work before a person started the story over. Of each branch the head pushed last and the one that ended last:
-- jobs that share a branch run one after another, but one may wait for a review while the next continues.
-- Story by story, each by an index: a plan for many would read the jobs of all products. A batch's job is looked up
-- from the batch: with few jobs of that kind, the planner started from them and read all jobs once per task
-- (docs/worker.md).
create function private.unlanded_work(p_story_ids uuid[], p_except_run_id uuid default null)
returns table (story_id uuid, story_code text, task_id uuid, task_code text, job_id uuid, judged boolean, branch text, base_sha text, head_sha text, commits integer, repo_url text, finished_at timestamptz)
language plpgsql stable set search_path = '' as $$
begin
  return query
    with work as materialized (
      select s.id as story_id, s.code as story_code, t.id as task_id, t.code as task_code, w.*, coalesce(nullif(t.repo_url, ''), p.repo_url) as repo_url,
        w.merged_at is not null or coalesce(b.pr_merged_at >= w.finished_at, false) as landed
      from unnest(p_story_ids) k (id)
      join public.stories s on s.id = k.id
      join public.products p on p.id = s.product_id
      join public.pbis b on b.id = s.pbi_id
      cross join lateral (select x.id, x.code, x.repo_url from public.tasks x where x.story_id = s.id offset 0) t
      cross join lateral (
        select a.id as job_id, a.status = 'DONE' as judged, a.branch, a.base_sha, a.head_sha, a.commits, a.merged_at,
          coalesce(a.pushed_at, a.ended_at) as pushed_at, a.ended_at as finished_at
        from private.works a
        where a.task_id = t.id and a.kind = 'TASK_IMPLEMENTATION' and a.sprint_run_id is distinct from p_except_run_id
          and a.ended_at is not null and a.head_sha is distinct from a.base_sha and (a.was_handed_in or a.pushed_at is not null)
        union all
        select a.id, true, a.branch, null, case a.status when 'DONE' then a.head_sha else e.head_sha end, a.commits, a.merged_at,
          e.finished_at, a.ended_at
        from (
          select x.* from public.task_executions x
          where x.task_id = t.id and x.status = 'DONE' and x.sprint_run_id is distinct from p_except_run_id offset 0) e
        cross join lateral (
          select j.* from private.works j
          where j.sprint_run_id = e.sprint_run_id and j.kind = 'SPRINT_IMPLEMENTATION' and j.ended_at is not null offset 0) a
      ) w
      where w.head_sha is not null and w.branch is not null
    ), standing as (
      select w.*
      from work w
      where not w.landed
        and not exists (select from work l where l.landed and l.story_id = w.story_id and l.repo_url = w.repo_url and l.finished_at >= w.finished_at)
        and not exists (select from public.fresh_starts f where f.story_id = w.story_id and f.created_at >= w.finished_at)
    ), heads as (
      (select distinct on (h.story_id, h.repo_url, h.branch) h.* from standing h
        order by h.story_id, h.repo_url, h.branch, h.pushed_at desc, h.finished_at desc, h.task_code desc)
      union
      (select distinct on (h.story_id, h.repo_url, h.branch) h.* from standing h
        order by h.story_id, h.repo_url, h.branch, h.finished_at desc, h.pushed_at desc, h.task_code desc)
    )
    select h.story_id, h.story_code, h.task_id, h.task_code, h.job_id, h.judged, h.branch, h.base_sha, h.head_sha,
      h.commits, h.repo_url, h.finished_at
    from heads h;
end;
$$;
grant execute on function private.unlanded_work to authenticated;
