-- Why: cancels a question that is no longer needed; an answered or expired one keeps its status.
create function private.close_question(p_question_id uuid)
returns void
language plpgsql
volatile
set search_path = ''
as $$
begin
  update public.agent_questions q
  set status = case when q.expires_at <= private.now() then 'EXPIRED' else 'CANCELLED' end::public.agent_question_status
  where q.id = p_question_id and q.status = 'OPEN';
end;
$$;

comment on function private.close_question is
  'open to cancelled, or expired when past its expiry (specification: Agent question).';
