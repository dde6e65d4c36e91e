-- Why: a conversation about an idea belongs to the user who asked. Other members see that its job exists, not what is
-- said.
create function private.may_read_talk(p_job public.agent_jobs)
returns boolean
language plpgsql
stable
set search_path = ''
as $$
begin
  return p_job.kind <> 'PLAN_CHAT' or coalesce(p_job.created_by = auth.uid(), false);
end;
$$;

comment on function private.may_read_talk is 'Whether the caller may read what a job says (specification: Idea; User question).';

grant execute on function private.may_read_talk to authenticated;
