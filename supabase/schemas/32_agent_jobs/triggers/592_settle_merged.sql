-- Why: where a product asks for it, work that reaches the main branch frees what waits for its code; so does work that is deleted. Definer: the caller may not write jobs.
create function private.tg_agent_jobs__settle_merged()
returns trigger
language plpgsql
security definer
set search_path = ''
as $$
begin
  if (select p.dependency_release from public.products p where p.id = old.product_id) = 'merged' then
    perform private.settle_waiting(nullif(private.waiting_for(private.tasks_of_job(old)), '{}'));
  end if;
  return null;
end;
$$;

comment on function private.tg_agent_jobs__settle_merged is 'Counters follow work to the main branch (docs/dependencies.md).';

create trigger _592_settle_merged
after update of merged_at on public.agent_jobs
for each row when (new.merged_at is distinct from old.merged_at)
execute function private.tg_agent_jobs__settle_merged();

create trigger _592_settle_merged_deleted
after delete on public.agent_jobs
for each row when (old.finished_at is not null and old.head_sha is not null and old.merged_at is null)
execute function private.tg_agent_jobs__settle_merged();
