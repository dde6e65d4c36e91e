-- Why: an attempt that is lost, or whose job somebody else has taken over, is not heard any more: what it told of its turn so
-- far is all that will be known.
-- Definer: the ledger is nobody's to write.
create function private.tg_agent_jobs__keep_usage()
returns trigger
language plpgsql
security definer
set search_path = ''
as $$
begin
  perform private.keep_usage_so_far(old.id, old.attempt);
  return null;
end;
$$;

comment on function private.tg_agent_jobs__keep_usage is
  'Keeps the usage of attempts that were lost (specification: Agent job, token usage).';

create trigger _530_keep_usage
after update of status, attempt on public.agent_jobs
for each row when (
  (old.attempt > 0 and new.attempt <> old.attempt)
  or (old.status in ('CLAIMED', 'RUNNING') and new.status in ('QUEUED', 'FAILED') and new.failure_class = 'infrastructure')
)
execute function private.tg_agent_jobs__keep_usage();
