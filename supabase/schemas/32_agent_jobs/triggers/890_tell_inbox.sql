-- Why: what waits for a person is in their inbox at once (36_inbox).
create trigger _890_tell_inbox
after update of status on public.agent_jobs
for each row
when (old.status is distinct from new.status and 'FAILED' in (old.status, new.status) and new.idea_id is not null)
execute function private.tg_any__tell_inbox();
