-- Why: one job for its page, with its attempts and its questions. Definer: access is checked first.
create function operations.get_agent_job(p_job_id uuid)
returns json
language plpgsql
stable
security definer
set search_path = ''
as $$
begin
  perform private.require_job(p_job_id);
  return (
    select private.job_json(j) || jsonb_build_object('attempts', private.attempts_json(j.id), 'questions', (
      select coalesce(jsonb_agg(private.question_json(q) order by q.created_at, q.id), '[]')
      from public.agent_questions q where q.job_id = j.id and private.may_read_talk(j)
        and (q.reader_id is null or q.reader_id = auth.uid() or private.is_left_to_owner(q))))
    from public.agent_jobs j where j.id = p_job_id);
end;
$$;

comment on function operations.get_agent_job is 'One agent job (specification: Agent job).';
grant execute on function operations.get_agent_job to authenticated;
