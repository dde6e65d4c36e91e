-- Why: a claim says what has to be proven and how it stands, and in the phase verify only that: a verifier forms its own view, so
-- it does not get the words of those who did the work.
create function private.proof_payload(p_job public.agent_jobs)
returns jsonb
language plpgsql
stable
set search_path = ''
as $$
declare
  v_answer jsonb;
begin
  v_answer := jsonb_build_object('phase', p_job.phase, 'findings', private.findings(p_job),
    'done_requires', (select p.done_requires from public.products p where p.id = p_job.product_id),
    'criteria', (
      select coalesce(jsonb_agg(jsonb_build_object('id', c.id, 'story_id', c.story_id, 'kind', c.kind, 'text', c.text, 'state', c.state,
        'grade', c.grade, 'command', case when p_job.phase = 'implement' then (
          select e.command from public.evidence e
          where e.story_id = c.story_id and e.criterion = c.id and e.command is not null and e.verdict = 'pass'
          order by e.seq desc limit 1) end) order by s.sort_order, s.created_at, c.place), '[]')
      from public.stories s
      cross join lateral private.story_proof(s.id) c
      where s.id in (
        select t.story_id from public.tasks t where t.id = p_job.task_id
        union all
        select t.story_id from public.task_executions e join public.tasks t on t.id = e.task_id
        where p_job.kind = 'SPRINT_IMPLEMENTATION' and e.sprint_run_id = p_job.sprint_run_id
          and (p_job.phase <> 'verify' or t.status = 'REVIEW'))));
  if p_job.phase = 'verify' then
    return v_answer || '{"previous_failure":null,"earlier_jobs":[],"earlier_attempts":[],"questions":[]}';
  end if;
  return v_answer;
end;
$$;

comment on function private.proof_payload is 'What a claim says about proof (docs/proof.md).';
