import { createServer } from "node:http";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { checkSchedules } from "~/cli/doctor/check-database.server";
import { readEnv } from "~/env.server";
import { startTestApp } from "../setup/app";
import { createTestDatabase } from "../setup/database";

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
  create schema if not exists vault;
  create table vault.secrets (name text primary key, secret text not null);
  create view vault.decrypted_secrets as select name, secret as decrypted_secret from vault.secrets;
`);

const entries = "select jobname, schedule, command from cron.job order by jobname";
const setSecret = (name: string, secret: string) =>
  t.sql.query(
    "insert into vault.secrets values ($1, $2) on conflict (name) do update set secret = $2",
    [name, secret],
  );

describe("the schedule in the database", () => {
  it("has the two entries of the contract, no matter how often it is installed", async () => {
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

  it("names what is missing in Vault", async () => {
    const call = t.sql.query(
      "select private.call_scheduled_endpoint('/api/cron/expire-questions')",
    );
    await expect(call).rejects.toThrow("backloom_origin or backloom_cron_secret");
  });

  it.each(["", "/", "//"])(
    "posts what the service accepts, with '%s' after the origin",
    async (slashes) => {
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
    },
  );
});

describe("doctor, about the schedules of a hosted project", () => {
  const asked: string[] = [];
  let functionAnswers = { status: 404, body: {} };
  const project = createServer((request, response) => {
    asked.push(String(request.url));
    response.statusCode = functionAnswers.status;
    response
      .setHeader("content-type", "application/json")
      .end(JSON.stringify(functionAnswers.body));
  });
  afterAll(() => void project.close());
  beforeEach(() => void asked.splice(0));
  const listening = new Promise<number>((resolve) => {
    project.listen(0, "127.0.0.1", () => {
      const address = project.address();
      resolve(typeof address === "object" && address ? address.port : 0);
    });
  });

  async function check(
    cronSecret: string,
    facts = { schedules: [""].slice(1), vault_secrets: [""].slice(1) },
  ) {
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
    vault_secrets: ["backloom_cron_secret", "backloom_origin"],
  };

  it("is content with pg_cron and Vault, and asks no function then", async () => {
    expect(await check(app.cronSecret, installed)).toMatchObject({ ok: true });
    expect(asked).toEqual([]);
    const halfway = await check(app.cronSecret, { ...installed, vault_secrets: [] });
    expect(halfway).toMatchObject({ ok: false, message: expect.stringContaining("Vault") });
  });

  it("is content with an Edge Function that reaches the service", async () => {
    functionAnswers = { status: 200, body: { expired_questions: 0 } };
    expect(await check(app.cronSecret)).toMatchObject({ ok: true });
    expect(asked).toEqual(["/functions/v1/scheduled"]);
  });

  it.each([
    [404, {}, "pg_cron has no entries"],
    [502, { error: "The service at APP_ORIGIN does not answer" }, "502: The service at APP_ORIGIN"],
    [500, { error: "Set the secrets APP_ORIGIN and CRON_SECRET." }, "Set the secrets"],
  ])("says what is wrong when the function answers %i", async (status, body, words) => {
    functionAnswers = { status, body };
    const found = await check(app.cronSecret);
    expect(found).toMatchObject({ ok: false, message: expect.stringContaining(words) });
  });

  it("says when the running service does not take the secret", async () => {
    for (const secret of ["another secret altogether", "geheim–ü€"]) {
      const found = await check(secret, installed);
      expect(found).toMatchObject({ name: "schedules", ok: false });
      expect(found.message).toContain("CRON_SECRET");
    }
  });
});
