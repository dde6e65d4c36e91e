-- Writes the contract's two entries into pg_cron. Idempotent. Returns how many entries are installed.
create function private.install_schedules() returns integer language plpgsql volatile set search_path = '' as $$
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

-- Why: on hosted Supabase the schedules live in the database: pg_cron starts them, pg_net posts to the scheduled
-- endpoints. The address and the secret come from Vault at each call, so that neither is in a job's text: select
-- vault.create_secret('https://backlog.example.com', 'backloom_origin'); select vault.create_secret('<CRON_SECRET>',
-- 'backloom_cron_secret'); Without pg_cron, pg_net or Vault (the embedded database) nothing is scheduled here and the
-- app's scheduler does it. Posts to one scheduled endpoint. Run by pg_cron as the database's owner. Returns the id of
-- the pg_net request (specification: Scheduled endpoints).
create function private.call_scheduled_endpoint(p_path text)
returns bigint language plpgsql volatile set search_path = '' as $$
declare
  v_origin text;
  v_secret text;
  v_request_id bigint;
begin
  execute 'select decrypted_secret from vault.decrypted_secrets where name = $1'
    into v_origin using 'backloom_origin';
  execute 'select decrypted_secret from vault.decrypted_secrets where name = $1'
    into v_secret using 'backloom_cron_secret';
  if v_origin is null or v_secret is null then
    raise exception 'Vault has no secret named backloom_origin or backloom_cron_secret: create both, see docs/supabase.md';
  end if;

  execute 'select net.http_post(url := $1, headers := $2, body := $3)'
    into v_request_id
    using rtrim(v_origin, '/') || p_path,
      jsonb_build_object('Authorization', 'Bearer ' || v_secret, 'Content-Type', 'application/json'),
      '{}'::jsonb;
  return v_request_id;
end;
$$;
