-- Why: a claim includes the criteria and their state. A verifier gets no commands of those who did the work.
create function private.criteria_payload(p_job public.agent_jobs)
returns jsonb
language plpgsql
stable
set search_path = ''
as $$
begin
  return (
    select coalesce(jsonb_agg(jsonb_build_object('id', c.id, 'story_id', c.story_id, 'kind', c.kind, 'text', c.text, 'state', c.state,
      'grade', c.grade, 'command', case when p_job.phase = 'implement' then (
        select e.command from public.evidence e
        where e.story_id = c.story_id and e.criterion = c.id and e.command is not null and e.verdict = 'pass' and not e.passed_before
        order by e.seq desc limit 1) end) order by s.sort_order, s.created_at, c.place), '[]')
    from public.stories s
    cross join lateral private.story_proof(s.id) c
    where s.id in (
      select t.story_id from public.tasks t where t.id = p_job.task_id
      union all
      select t.story_id from public.task_executions e join public.tasks t on t.id = e.task_id
      where p_job.kind = 'SPRINT_IMPLEMENTATION' and e.sprint_run_id = p_job.sprint_run_id
        and (p_job.phase <> 'verify' or t.status = 'REVIEW')));
end;
$$;

comment on function private.criteria_payload is 'What a claim says of criteria (docs/proof.md).';
