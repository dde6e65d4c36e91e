import pg from "pg";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { hasPgCron, startPgCron } from "../setup/pg-cron";

/** pg_cron itself on Postgres 15. pg_net and Vault stay stand-ins: they run nowhere but in Supabase's images. */
describe.runIf(hasPgCron)("the schedule in pg_cron itself", () => {
  let sql: pg.Client;

  beforeAll(async () => {
    const cluster = await startPgCron();
    const admin = new pg.Client({ connectionString: cluster.url("supabase_admin") });
    await admin.connect();
    await admin.query(`
      create extension pg_cron;
      grant usage on schema cron to postgres;
      grant all on all tables in schema cron to postgres;
      grant execute on all functions in schema cron to postgres;
      create schema net;
      create table net.requests (url text, body jsonb, headers jsonb);
      create function net.http_post(url text, body jsonb default '{}', params jsonb default '{}', headers jsonb default '{}', timeout_milliseconds int default 5000)
      returns bigint language sql as $$ insert into net.requests values ($1, $2, $4); select 1::bigint $$;
      create schema vault;
      create table vault.secrets (name text primary key, secret text not null);
      create view vault.decrypted_secrets as select name, secret as decrypted_secret from vault.secrets;
      grant usage on schema net, vault to postgres;
      grant all on all tables in schema net, vault to postgres;
    `);
    await admin.end();
    sql = new pg.Client({ connectionString: cluster.url("postgres") });
    await sql.connect();
    afterAll(async () => {
      await sql.end();
      await cluster.stop();
    });
  });

  it("The schedule has two entries in pg_cron, no matter how often it is installed, and doctor sees them", async () => {
    for (let round = 0; round < 2; round++) {
      const { rows } = await sql.query("select private.install_schedules() as installed");
      expect(rows).toEqual([{ installed: 2 }]);
    }
    const { rows } = await sql.query("select operations.doctor_facts() -> 'schedules' as schedules");
    expect(rows[0].schedules).toEqual(["backloom-cleanup-agent-artifacts", "backloom-expire-questions"]);
  });

  it("A scheduled call fails with what is missing in Vault, and posts with the secret once it is there", async () => {
    await sql.query(`select cron.alter_job(jobid, schedule := '* * * * *') from cron.job`);
    const runs = async (status: string) => {
      const { rows } = await sql.query("select distinct return_message from cron.job_run_details where status = $1", [
        status,
      ]);
      expect(rows.length).toBeGreaterThan(0);
      return rows;
    };
    const everyMinute = { timeout: 150_000, interval: 500 };
    const [failed] = await vi.waitFor(() => runs("failed"), everyMinute);
    expect(failed.return_message).toContain("backloom_origin or backloom_cron_secret");

    await sql.query(`insert into vault.secrets values
      ('backloom_origin', 'https://backlog.example.com/'), ('backloom_cron_secret', 'the secret')`);
    await vi.waitFor(() => runs("succeeded"), everyMinute);
    const { rows } = await sql.query(
      "select distinct url, headers ->> 'Authorization' as key from net.requests order by url",
    );
    expect(rows).toEqual([
      { url: "https://backlog.example.com/api/cron/cleanup-agent-artifacts", key: "Bearer the secret" },
      { url: "https://backlog.example.com/api/cron/expire-questions", key: "Bearer the secret" },
    ]);
  }, 300_000);
});
