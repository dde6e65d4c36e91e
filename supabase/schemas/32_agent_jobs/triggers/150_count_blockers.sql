-- Why: a job knows from its first moment what it waits for. Definer: counts whatever the caller may see.
create function private.tg_agent_jobs__count_blockers()
returns trigger
language plpgsql
security definer
set search_path = ''
as $$
begin
  new.open_blockers := private.count_open_blockers(new);
  return new;
end;
$$;

comment on function private.tg_agent_jobs__count_blockers is 'open_blockers of a new job.';

create trigger _150_count_blockers
before insert on public.agent_jobs
for each row when (new.kind <> 'PLAN_CHAT')
execute function private.tg_agent_jobs__count_blockers();
