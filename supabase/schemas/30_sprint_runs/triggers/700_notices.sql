-- Why: people hear that a run failed or is done; that it is paused they hear through its question, webhooks by its own name.
-- Definer: the outbox is nobody's to write.
create function private.tg_sprint_runs__notices()
returns trigger
language plpgsql
security definer
set search_path = ''
as $$
declare
  v_code text := (select s.code from public.sprints s where s.id = new.sprint_id);
begin
  perform private.queue_notices('run_' || lower(new.status::text), new.product_id, null, new.status <> 'PAUSED',
    format('The run of sprint %s is %s', v_code, lower(new.status::text)),
    coalesce(new.failure ->> 'reason', new.pause_context ->> 'reason', ''),
    format('/products/%s/runs/%s', new.product_id, new.id), private.run_json(new, false));
  return null;
end;
$$;

comment on function private.tg_sprint_runs__notices is 'Notices of runs (specification: Sprint run).';

create trigger _700_notices after update of status on public.sprint_runs
  for each row when (new.status <> old.status and new.status in ('PAUSED', 'FAILED', 'DONE'))
  execute function private.tg_sprint_runs__notices();
