-- Writes the two entries of the contract into pg_cron; run it again at any time. Returns how many entries stand.
create function private.install_schedules()
returns integer
language plpgsql
volatile
set search_path = ''
as $$
begin
  if to_regnamespace('cron') is null
    or to_regnamespace('net') is null
    or to_regclass('vault.decrypted_secrets') is null then
    return 0;
  end if;

  execute 'select cron.schedule($1, $2, $3)'
    using 'backloom-cleanup-agent-artifacts', '0 3 * * *',
      'select private.call_scheduled_endpoint(''/api/cron/cleanup-agent-artifacts'')';
  execute 'select cron.schedule($1, $2, $3)'
    using 'backloom-expire-questions', '0 4 * * *',
      'select private.call_scheduled_endpoint(''/api/cron/expire-questions'')';
  return 2;
end;
$$;

comment on function private.install_schedules is
  'Schedules expire-questions at 04:00 and cleanup-agent-artifacts at 03:00 UTC through pg_cron, where it exists.';
