import type pg from "pg";

/**
 * Takes all tables of the project for the transaction of a migration, which changes them one after another while a service
 * may be running. A call that holds one table and waits for another would be a deadlock and end the migration. Calls
 * wait two seconds for a table and are repeated; this waits for less, gives back what it has, and tries again. First
 * come the tables that each call asks first, in that order, so that calls under way end and no new one gets between.
 */
export async function takeTables(client: pg.Client): Promise<void> {
  await client.query("set local statement_timeout = 0");
  await client.query(`do $take$
    declare
      v_tables text := (
        select string_agg(c.oid::regclass::text, ', ' order by array_position(array['api_tokens', 'user_sessions', 'users'], c.relname::text), c.oid)
        from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
        where c.relkind = 'r' and n.nspname in ('public', 'private') and pg_has_role(c.relowner, 'usage'));
      v_until timestamptz := clock_timestamp() + interval '1 minute';
    begin
      while v_tables is not null loop
        begin
          perform set_config('lock_timeout', '300ms', true);
          execute format('lock table %s in access exclusive mode', v_tables);
          perform set_config('lock_timeout', '0', true);
          return;
        exception when lock_not_available or deadlock_detected then
          if clock_timestamp() > v_until then
            raise;
          end if;
          perform pg_sleep(0.05 + random() / 5);
        end;
      end loop;
    end
  $take$`);
}
