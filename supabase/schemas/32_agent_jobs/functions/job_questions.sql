-- Why: what earlier attempts asked, with the answers, goes with the claim.
create function private.job_questions(p_job_id uuid)
returns json
language plpgsql
stable
set search_path = ''
as $$
begin
  return (
    select coalesce(json_agg(private.question_json(q) order by q.created_at, q.id), '[]')
    from public.agent_questions q where q.job_id = p_job_id);
end;
$$;

comment on function private.job_questions is 'The questions of a job with their answers (specification: Agent question).';
