-- Why: a claim names the commits its branch must contain before work begins: those of its story, or of all stories of
-- the sprint (without a sprint, of the run) if they share a branch. Oldest first, each commit once, in the repository
-- of the job. Empty if an earlier job of the run has pushed the branch: that one has merged them.
create function private.begins_from(p_job public.agent_jobs)
returns json
language plpgsql
stable
set search_path = ''
as $$
declare
  v_run public.sprint_runs;
  v_story_ids uuid[];
  v_repo_url text;
begin
  select r.* into v_run from public.sprint_runs r where r.id = p_job.sprint_run_id;
  if v_run.id is null or p_job.phase = 'verify' or p_job.kind = 'PLAN_CHAT' or not exists (
    select from public.sprint_runs r where r.product_id = v_run.product_id and r.id <> v_run.id)
  then
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

comment on function private.begins_from is 'What the branch of a job begins from (specification: Agent job; docs/worker.md).';
