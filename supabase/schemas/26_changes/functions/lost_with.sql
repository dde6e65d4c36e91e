-- Why: jobs, logs and questions go with what they are about and are not kept for an undo. Who deletes something that has them
-- is told that it cannot come back.
create function private.lost_with(p_kind text, p_row jsonb)
returns text
language sql
stable
set search_path = ''
as $$
  select case
    when p_kind = 'story' and p_row ->> 'is_template' = 'true' then 'a schedule'
    when p_kind = 'task' and exists (select from public.agent_jobs j where j.task_id = (p_row ->> 'id')::uuid) then 'jobs'
    when p_kind = 'task' and exists (select from public.task_executions e where e.task_id = (p_row ->> 'id')::uuid) then 'jobs'
    when p_kind = 'task' and exists (select from public.agent_questions q where q.task_id = (p_row ->> 'id')::uuid) then 'questions'
    when p_kind = 'story' and exists (select from public.story_logs l where l.story_id = (p_row ->> 'id')::uuid) then 'a log'
    when p_kind = 'story' and (exists (select from public.evidence e where e.story_id = (p_row ->> 'id')::uuid)
      or exists (select from public.waivers w where w.story_id = (p_row ->> 'id')::uuid)) then 'evidence'
    when p_kind = 'story' and exists (select from public.agent_questions q where q.story_id = (p_row ->> 'id')::uuid) then 'questions'
    when p_kind = 'task' and exists (select from public.task_dependencies d
      where (p_row ->> 'id')::uuid in (d.blocked_id, d.blocker_id)) then 'dependencies'
    when p_kind = 'story' and exists (select from public.story_dependencies d
      where (p_row ->> 'id')::uuid in (d.blocked_id, d.blocker_id)) then 'dependencies'
    when p_kind = 'task' and exists (select from public.budgets b where b.task_id = (p_row ->> 'id')::uuid) then 'a budget'
    when p_kind = 'pbi' and p_row ->> 'idea_id' is not null then 'a link to its idea'
  end;
$$;

comment on function private.lost_with is 'What is gone for good with a deleted task, story or PBI; null for nothing.';
