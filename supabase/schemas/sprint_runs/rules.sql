create trigger _400_touch before update on public.sprint_runs for each row execute function private.tg_any__touch();

-- People get notices of failed and finished runs. A paused run reaches them through its question, so that notice
-- goes to webhooks only. Definer: users may not write the outbox (specification: Sprint run).
create function private.tg_sprint_runs__notices()
returns trigger language plpgsql security definer set search_path = '' as $$
begin
  perform private.queue_notices('run_' || lower(new.status::text), new.product_id, null, new.status <> 'PAUSED',
    format('The run of %s is %s', private.run_subject(new), lower(new.status::text)),
    coalesce(new.failure ->> 'reason', new.pause_context ->> 'reason', ''),
    format('/products/%s/runs/%s', new.product_id, new.id), private.run_json(new, false));
  return null;
end;
$$;
create trigger _700_notices after update of status on public.sprint_runs
  for each row when (new.status <> old.status and new.status in ('PAUSED', 'FAILED', 'DONE'))
  execute function private.tg_sprint_runs__notices();

-- Failed runs need a person and appear in the inbox at once (inbox).
create trigger _890_notify_inbox
after update on public.sprint_runs
for each row
when (old.status is distinct from new.status and 'FAILED' in (old.status, new.status))
execute function private.tg_any__notify_inbox();

create trigger _900_emit after insert or update or delete on public.sprint_runs for each row
  execute function private.tg_any__emit('sprint_run', '{product:product_id}', '{"sprint_id": "sprint_id", "run_status": "status"}');
