-- Why: the work of a deleted job reaches the main branch like any other.
create trigger _592_settle_merged
after update of merged_at on public.past_jobs
for each row when (new.merged_at is distinct from old.merged_at)
execute function private.tg_agent_jobs__settle_merged();
