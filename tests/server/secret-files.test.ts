import { randomUUID } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { readEnv } from "~/env.server";
import { isSecretName } from "~/env-secrets.server";
import { sealSessionCookies } from "~/http/session.server";
import { ownDataDir } from "../embedded/own-stack";
import { problemsOf } from "./env-problems";
import { openOwnDatabase, startService } from "./own-service";

const folder = await mkdtemp(join(tmpdir(), "backloom-secrets-"));
afterAll(() => rm(folder, { recursive: true, force: true }));

async function keep(name: string, text: string): Promise<string> {
  await writeFile(join(folder, name), text);
  return join(folder, name);
}

const [older, newer] = ["o".repeat(40), "n".repeat(40)];

it("A variable's _FILE gives the secret, without the line end that editors leave", async () => {
  const env = readEnv({
    SESSION_SECRET_FILE: await keep("session", `${newer}\n${older}\n`),
    CRON_SECRET_FILE: await keep("cron", "a secret of the schedule\n"),
    METRICS_TOKEN_FILE: await keep("metrics", " a token of monitoring "),
    SUPABASE_URL: "https://project.example",
    SUPABASE_PUBLISHABLE_KEY_FILE: await keep("publishable", "sb_publishable_x"),
    SUPABASE_SECRET_KEY_FILE: await keep("secret", "sb_secret_x\r\n"),
    SUPABASE_DB_URL_FILE: await keep("url", "postgresql://a:b@db.example/postgres"),
  });
  expect(env).toMatchObject({
    sessionSecrets: [newer, older],
    cronSecret: "a secret of the schedule",
    metricsToken: "a token of monitoring",
    supabase: { secretKey: "sb_secret_x", dbUrl: "postgresql://a:b@db.example/postgres" },
  });
});

it("A secret's file that is missing, empty, wrong or set twice is reported with its variable", async () => {
  const missing = join(folder, "nowhere");
  const empty = await keep("empty", "\n");
  expect(problemsOf({ CRON_SECRET_FILE: missing })).toEqual([
    expect.stringMatching(/^CRON_SECRET_FILE cannot be read: ENOENT.*nowhere/),
  ]);
  expect(problemsOf({ VAPID_PRIVATE_KEY_FILE: empty, REGISTRATION: "maybe" })).toEqual([
    expect.stringContaining("VAPID_PRIVATE_KEY_FILE names an empty file"),
    expect.stringMatching(/^REGISTRATION must be one of/),
  ]);
  expect(problemsOf({ SESSION_SECRET_FILE: await keep("short", "short") })).toEqual([
    expect.stringMatching(/^SESSION_SECRET must have at least 32 characters/),
  ]);
  expect(problemsOf({ METRICS_TOKEN: "a token of mine", METRICS_TOKEN_FILE: empty })).toEqual([
    "METRICS_TOKEN and METRICS_TOKEN_FILE are both set: keep one of them",
  ]);
});

it("Only secrets can be given in a file", () => {
  expect(["SESSION_SECRET", "VAPID_PRIVATE_KEY", "SUPABASE_DB_URL"].every(isSecretName)).toBe(true);
  expect(["PORT", "DATA_DIR", "SUPABASE_URL"].some(isSecretName)).toBe(false);
  expect(readEnv({ PORT_FILE: "/nowhere" }).port).toBe(3000);
});

it("secrets are rotated by their files and a restart", { tags: "thorough", timeout: 600_000 }, async () => {
  const dataDir = await ownDataDir();
  const start = async (session: string, cron: string, metrics: string) => {
    const service = await startService(dataDir, {
      env: {
        SESSION_SECRET_FILE: await keep("session", session),
        CRON_SECRET_FILE: await keep("cron", cron),
        METRICS_TOKEN_FILE: await keep("metrics", metrics),
      },
    });
    const status = async (path: string, init: RequestInit) =>
      (await fetch(`${service.origin}${path}`, { redirect: "manual", ...init })).status;
    return {
      page: (cookie: string) => status("/settings", { headers: { cookie } }),
      cron: (secret: string) =>
        status("/api/cron/expire-questions", {
          method: "POST",
          headers: { authorization: `Bearer ${secret}`, "content-type": "application/json" },
          body: "{}",
        }),
      metrics: (token: string) => status("/metrics", { headers: { authorization: `Bearer ${token}` } }),
      async stop() {
        await service.end("SIGTERM");
      },
    };
  };
  const [cronOld, cronNew] = ["schedule, older", "schedule, newer"];
  const [tokenOld, tokenNew] = ["monitoring, older", "monitoring, newer"];

  const before = await start(older, cronOld, tokenOld);
  const own = await openOwnDatabase(dataDir);
  const rows = await own.query`select id from users where username = 'admin'`;
  const session = { session_id: randomUUID(), user_id: String(rows[0].id), is_demo: false };
  await own.query`insert into user_sessions (id, user_id, user_agent, ip, expires_at)
    values (${session.session_id}, ${session.user_id}, 'test', '127.0.0.1', now() + interval '30 days')`;
  await own.close();
  const [sealed] = await sealSessionCookies(session, { ...readEnv({}), sessionSecrets: [older] });
  const cookie = sealed?.split(";")[0] ?? "";
  expect(await before.page(cookie)).toBe(200);
  expect([await before.cron(cronOld), await before.metrics(tokenOld)]).toEqual([200, 200]);
  await before.stop();

  const during = await start(`${newer}\n${older}`, cronNew, tokenNew);
  expect(await during.page(cookie)).toBe(200);
  expect([await during.cron(cronNew), await during.metrics(tokenNew)]).toEqual([200, 200]);
  expect([await during.cron(cronOld), await during.metrics(tokenOld)]).toEqual([401, 401]);
  await during.stop();
});
