import { createServer } from "node:http";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { checkDatabase, checkSchedules } from "~/cli/doctor/check-database.server";
import { readEnv } from "~/env.server";
import { startTestApp } from "../setup/app";
import { createTestDatabase } from "../setup/database";
import { portOf } from "../setup/port-of";

const t = await createTestDatabase();
const app = await startTestApp(t);

/** What Supabase brings and the embedded database does not: pg_cron, pg_net and Vault, by their signatures. */
await t.sql.query(`
  create schema cron;
  create table cron.job (jobname text primary key, schedule text not null, command text not null, active boolean not null default true);
  create function cron.schedule(job_name text, schedule text, command text) returns bigint language sql as $$
    insert into cron.job values ($1, $2, $3)
    on conflict (jobname) do update set schedule = excluded.schedule, command = excluded.command returning 1::bigint
  $$;
  create schema net;
  create table net.requests (id bigserial, url text, body jsonb, headers jsonb);
  create function net.http_post(url text, body jsonb default '{}', params jsonb default '{}', headers jsonb default '{}', timeout_milliseconds int default 5000)
  returns bigint language sql as $$ insert into net.requests (url, body, headers) values ($1, $2, $4) returning id $$;
  create table net._http_response (id bigint, status_code int, error_msg text, created timestamptz not null default now());
  create schema if not exists vault;
  create table vault.secrets (name text primary key, secret text not null);
  create view vault.decrypted_secrets as select name, secret as decrypted_secret from vault.secrets;
`);

const entries = "select jobname, schedule, command from cron.job order by jobname";
const setSecret = (name: string, secret: string) =>
  t.sql.query("insert into vault.secrets values ($1, $2) on conflict (name) do update set secret = $2", [name, secret]);

it("The schedule in the database has the two entries of the contract, no matter how often it is installed", async () => {
  for (let round = 0; round < 2; round++) {
    const rows = await t.query`select private.install_schedules() as installed`;
    expect(rows).toEqual([{ installed: 2 }]);
  }
  expect((await t.sql.query(entries)).rows).toEqual([
    {
      jobname: "backloom-cleanup-agent-artifacts",
      schedule: "0 3 * * *",
      command: "select private.call_scheduled_endpoint('/api/cron/cleanup-agent-artifacts')",
    },
    {
      jobname: "backloom-expire-questions",
      schedule: "0 4 * * *",
      command: "select private.call_scheduled_endpoint('/api/cron/expire-questions')",
    },
  ]);
});

it("A scheduled call names what is missing in Vault", async () => {
  const call = t.sql.query("select private.call_scheduled_endpoint('/api/cron/expire-questions')");
  await expect(call).rejects.toThrow("backloom_origin or backloom_cron_secret");
});

it.each(["", "/", "//"])("A scheduled call posts what is accepted, with '%s' after the origin", async (slashes) => {
  await setSecret("backloom_origin", `${app.origin}${slashes}`);
  await setSecret("backloom_cron_secret", app.cronSecret);
  for (const { command } of (await t.sql.query(entries)).rows) {
    await t.query`delete from net.requests`;
    await t.sql.query(command);
    const [sent] = await t.query`select url, body, headers from net.requests`;
    const body = JSON.stringify(sent.body);
    const response = await fetch(sent.url, { method: "POST", headers: sent.headers, body });
    expect(response.status).toBe(200);
  }
});

describe("doctor, about the schedules of a hosted project", () => {
  const asked: string[] = [];
  let functionAnswers = { status: 404, body: {} };
  const project = createServer((request, response) => {
    asked.push(String(request.url));
    response.statusCode = functionAnswers.status;
    response.setHeader("content-type", "application/json").end(JSON.stringify(functionAnswers.body));
  });
  afterAll(() => void project.close());
  beforeEach(() => void asked.splice(0));
  const listening = portOf(project);

  type Facts = Parameters<typeof checkSchedules>[1];
  async function check(cronSecret: string, facts: Facts = { schedules: [], vault: {}, calls: [] }) {
    const env = readEnv({
      SUPABASE_URL: `http://127.0.0.1:${await listening}`,
      SUPABASE_PUBLISHABLE_KEY: "sb_publishable_x",
      SUPABASE_SECRET_KEY: "sb_secret_x",
      SESSION_SECRET: "s".repeat(32),
      APP_ORIGIN: app.origin,
    });
    return checkSchedules({ isEmbedded: false, env: { ...env, cronSecret } }, facts);
  }
  const installed = {
    schedules: ["backloom-cleanup-agent-artifacts", "backloom-expire-questions"],
    vault: { backloom_cron_secret: true, backloom_origin: true },
    calls: [],
  };

  it("Doctor is content with pg_cron and Vault, and asks no Edge Function then", async () => {
    expect(await check(app.cronSecret, installed)).toMatchObject({ ok: true });
    expect(asked).toEqual([]);
    const halfway = await check(app.cronSecret, { ...installed, vault: {} });
    expect(halfway).toMatchObject({ ok: false, message: expect.stringContaining("Vault") });
  });

  it("Doctor compares the secrets in Vault with those of the service, and shows neither", async () => {
    await t.sql.query("select private.install_schedules()");
    const env = { ...app.services.env, appOrigin: app.origin };
    const look = async (name: string, secret: string) => {
      await setSecret(name, secret);
      const found = await checkDatabase({
        database: t.database,
        env,
        isEmbedded: false,
        migrationUrl: undefined,
        stop: async () => undefined,
      });
      const schedules = found.find((one) => one.name === "schedules");
      expect(schedules?.message).not.toContain(secret);
      return [schedules?.ok, schedules?.message];
    };
    await setSecret("backloom_origin", `${app.origin}/`);
    expect(await look("backloom_cron_secret", app.cronSecret)).toEqual([true, expect.any(String)]);
    const wrong = await look("backloom_cron_secret", "another secret");
    expect(wrong).toEqual([false, expect.stringContaining("backloom_cron_secret in Vault is not")]);
    await setSecret("backloom_cron_secret", app.cronSecret);
    const gone = await look("backloom_origin", "https://gone.example");
    expect(gone).toEqual([false, expect.stringContaining("not the APP_ORIGIN")]);
    await setSecret("backloom_origin", app.origin);
  });

  it("Doctor names the answer that pg_net got, and the last success even when pg_net has forgotten it", async () => {
    const facts = async (): Promise<Facts> => {
      const [row] = await t.query`select operations.doctor_facts() as facts`;
      return { ...installed, calls: row.facts.calls };
    };
    const answered = (status: number | null, error: string | null) =>
      t.query`insert into net._http_response (id, status_code, error_msg) select request_id, ${status}, ${error}
        from schedule_runs where request_id is not null order by due_at desc limit 1`;
    const call = async () => {
      await t.sql.query("update schedule_runs set due_at = due_at - interval '1 hour'");
      await t.sql.query("select private.call_scheduled_endpoint('/api/cron/expire-questions')");
      await t.sql.query("update schedule_runs set due_at = due_at - interval '5 minutes'");
    };
    await t.query`delete from schedule_runs`;
    await call();
    expect(await check(app.cronSecret, await facts())).toMatchObject({ ok: false });
    await answered(200, null);
    await t.sql.query("select private.keep_scheduled_answers()");
    await t.query`delete from net._http_response`;
    const kept = await check(app.cronSecret, await facts());
    expect([kept.ok, kept.message]).toEqual([true, expect.stringContaining("last success was 0")]);
    for (const [status, error] of [
      [401, null],
      [null, "Couldn't connect to server"],
    ] as const) {
      await call();
      await answered(status, error);
      const { ok, message } = await check(app.cronSecret, await facts());
      expect([ok, message]).toEqual([false, expect.stringContaining(error ?? String(status))]);
      expect(message).toContain("last success was 0");
    }
  });

  it("Doctor is content with an Edge Function that reaches the service", async () => {
    functionAnswers = { status: 200, body: { expired_questions: 0 } };
    expect(await check(app.cronSecret)).toMatchObject({ ok: true });
    expect(asked).toEqual(["/functions/v1/scheduled"]);
  });

  it.each([
    [404, {}, "pg_cron has no entries"],
    [502, { error: "The service at APP_ORIGIN does not answer" }, "502: The service at APP_ORIGIN"],
    [500, { error: "Set the secrets APP_ORIGIN and CRON_SECRET." }, "Set the secrets"],
  ])("Doctor says what is wrong when the Edge Function answers %i", async (status, body, words) => {
    functionAnswers = { status, body };
    const found = await check(app.cronSecret);
    expect(found).toMatchObject({ ok: false, message: expect.stringContaining(words) });
  });

  it("Doctor says when the running service does not take the secret of the schedule", async () => {
    for (const secret of ["another secret altogether", "geheim–ü€"]) {
      const found = await check(secret, installed);
      expect(found).toMatchObject({ name: "schedules", ok: false });
      expect(found.message).toContain("CRON_SECRET");
    }
  });
});
