-- Why: a story has one branch, which its next run continues. It gets a new numbered name once that branch is at work in
-- another run, has landed, or was abandoned because a person started the story over. Products of one owner that share a
-- repository never share a branch, and no name equals the folder of another branch.
create function private.story_branch(p_story_id uuid)
returns text
language plpgsql
stable
set search_path = ''
as $$
declare
  v_story public.stories;
  v_part text;
  v_base text;
  v_newest record;
begin
  select s.* into v_story from public.stories s where s.id = p_story_id;
  v_part := private.branch_part(v_story.code, v_story.id);
  if lower(v_part) = 'kept'
    or exists (select from public.products p where lower(private.branch_part(p.code, p.id)) = lower(v_part))
    or exists (
      select from public.products p
      join public.products o on o.owner_id = p.owner_id and o.repo_url = p.repo_url and o.repo_url <> '' and o.id <> p.id
      join public.stories s on s.product_id = o.id and s.code = v_story.code
      join public.tasks t on t.story_id = s.id
      cross join lateral (
        select j.sprint_run_id from public.agent_jobs j where j.task_id = t.id
        union all
        select e.sprint_run_id from public.task_executions e where e.task_id = t.id) x
      join public.sprint_runs r on r.id = x.sprint_run_id and r.sprint_id is null
      where p.id = v_story.product_id)
  then
    v_part := v_part || '-' || left(v_story.id::text, 8);
  end if;
  v_base := 'backloom/' || v_part;

  select u.branch, u.at_work, u.has_work, coalesce(nullif(substring(u.branch from length(v_base) + 2), '')::integer, 1) as number into v_newest
  from (
    select x.branch, bool_or(x.at_work) as at_work, bool_or(x.has_work) as has_work
    from public.tasks t
    cross join lateral (
      select a.branch, r.status in ('QUEUED', 'RUNNING', 'PAUSED') as at_work, a.pushed_at is not null or a.status = 'DONE' as has_work
      from private.works a join public.sprint_runs r on r.id = a.sprint_run_id
      where a.task_id = t.id and a.kind = 'TASK_IMPLEMENTATION' and r.sprint_id is null
      union all
      select r.branch, r.status in ('QUEUED', 'RUNNING', 'PAUSED'), e.status = 'DONE'
      from public.task_executions e join public.sprint_runs r on r.id = e.sprint_run_id
      where e.task_id = t.id and r.sprint_id is null
    ) x
    where t.story_id = p_story_id and x.branch ~ ('^' || v_base || '(-[1-9][0-9]{0,5})?$')
    group by x.branch
  ) u
  order by number desc
  limit 1;
  if v_newest.branch is null then
    return v_base;
  end if;
  if not v_newest.at_work and (not v_newest.has_work
    or exists (select from private.unlanded_work(array[p_story_id]) w where w.branch = v_newest.branch))
  then
    return v_newest.branch;
  end if;
  return v_base || '-' || v_newest.number + 1;
end;
$$;

comment on function private.story_branch is 'The branch on which a run of its own works on a story (specification: Sprint run, branch).';
