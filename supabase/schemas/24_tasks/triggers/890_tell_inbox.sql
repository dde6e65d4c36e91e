-- Why: what waits for a person is in their inbox at once (36_inbox).
create trigger _890_tell_inbox
after update of status on public.tasks
for each row
when (old.status is distinct from new.status and 'REVIEW' in (old.status, new.status))
execute function private.tg_any__tell_inbox();
