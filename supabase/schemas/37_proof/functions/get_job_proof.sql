-- Called by the page of a job: the proof of its task's story, or of each story of its batch. Definer: access is checked
-- first.
create function operations.get_job_proof(p_job_id uuid)
returns json
language plpgsql
stable
security definer
set search_path = ''
as $$
declare
  v_job public.agent_jobs;
begin
  perform private.require_job(p_job_id);
  select j.* into v_job from public.agent_jobs j where j.id = p_job_id;
  return json_build_object('stories', (
    select coalesce(json_agg(json_build_object('id', s.id, 'code', s.code, 'title', s.title, 'proof', private.proof_json(s.id))
      order by s.sort_order, s.created_at), '[]')
    from public.stories s
    where s.id in (
      select t.story_id from public.tasks t where t.id = v_job.task_id
      union all
      select t.story_id from public.task_executions e join public.tasks t on t.id = e.task_id
      where v_job.kind = 'SPRINT_IMPLEMENTATION' and e.sprint_run_id = v_job.sprint_run_id)));
end;
$$;

comment on function operations.get_job_proof is 'What proves the stories of a job (docs/proof.md).';
grant execute on function operations.get_job_proof to authenticated;
