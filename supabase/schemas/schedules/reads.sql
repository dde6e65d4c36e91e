-- Why: `admin doctor` compares the applied migrations and installed schedules with the files of the checkout, over any
-- transport. Definer, because they are in schemas the API roles cannot reach. Returns names, no secrets. Service only.
create function operations.doctor_facts()
returns json language plpgsql stable security definer set search_path = '' as $$
declare
  v_migrations json := '[]';
  v_schedules json := '[]';
  v_secrets json := '[]';
begin
  if to_regclass('supabase_migrations.schema_migrations') is not null then
    execute 'select coalesce(json_agg(version order by version), ''[]'') from supabase_migrations.schema_migrations'
      into v_migrations;
  end if;
  if to_regclass('cron.job') is not null then
    execute 'select coalesce(json_agg(jobname order by jobname), ''[]'') from cron.job where jobname like ''backloom-%'' and active'
      into v_schedules;
  end if;
  if to_regclass('vault.secrets') is not null then
    execute 'select coalesce(json_agg(name order by name), ''[]'') from vault.secrets where name like ''backloom_%'''
      into v_secrets;
  end if;
  return json_build_object('migrations', v_migrations, 'schedules', v_schedules, 'vault_secrets', v_secrets);
end;
$$;
grant execute on function operations.doctor_facts to service_role;
