// Keeps a release for the upgrade tests: npx tsx tests/upgrade/keep-release.ts <folder of its clone> <version>
// Starts it over an empty data folder, lets a worker and a person leave their traces, and writes it into releases.json.br.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { z } from "zod";
import { findFreePort } from "../../supabase/embedded/postgres/free-port";
import { type KeptRelease, keptReleaseSchema, writableColumns, writeKeptRelease } from "./kept-release";

const [clone = ".", version = ""] = process.argv.slice(2);
const dataDir = await mkdtemp(join(tmpdir(), "backloom-keep-"));
const port = await findFreePort();
const origin = `http://localhost:${port}`;
const environment = { ...process.env, DATA_DIR: dataDir, PORT: String(port), NODE_ENV: "production" as const };
const launch = join(clone, "app/cli/launch.mjs");

const service = spawn(process.execPath, [launch, "start"], {
  cwd: clone,
  env: environment,
  stdio: ["ignore", "pipe", "inherit"],
});
const said = await wordsUntil(service.stdout, "/agent-context");
const token = /blm_[\w-]+/.exec(said)?.[0] ?? "";
const password = /admin \/ (\S+)/.exec(said)?.[1] ?? "";

const { client, secrets } = await openDatabase();
const { id: sprint } = await one(z.object({ id: z.string() }), "select id from public.sprints");
await asAdmin("start_sprint_run", { p_sprint_id: sprint });
await workUntilItAsks();
const cookie = await signIn();
const pairing = await startPairing();
const kept: KeptRelease = keptReleaseSchema.parse({
  version,
  secrets,
  migrations: await readMigrations(),
  tables: await readTables(),
  token,
  cookie,
  pairing,
  exported: JSON.parse(await admin("export", "--product", "SAMPLE")),
});
await client.end();
service.kill("SIGTERM");
await once(service, "exit");
await writeKeptRelease(kept);
await rm(dataDir, { recursive: true, force: true });
process.stdout.write(`${version} is kept\n`);

async function wordsUntil(stream: NodeJS.ReadableStream, end: string): Promise<string> {
  let words = "";
  for await (const chunk of stream) {
    words += String(chunk);
    if (words.includes(end)) break;
  }
  return words;
}

async function openDatabase() {
  const text = await readFile(join(dataDir, "secrets.json"), "utf8");
  const secrets = z.record(z.string(), z.string()).parse(JSON.parse(text));
  const address = (await readFile(join(dataDir, "postgres/postmaster.pid"), "utf8")).split("\n");
  const client = new pg.Client({
    host: "127.0.0.1",
    port: Number(address[3]),
    user: "supabase_admin",
    password: secrets.databasePassword,
    database: "postgres",
  });
  await client.connect();
  return { client, secrets };
}

async function one<T>(shape: z.ZodType<T>, sql: string): Promise<T> {
  return shape.parse((await client.query(sql)).rows[0]);
}

/** An operation of the release as its administrator, past the service. */
async function asAdmin(operation: string, given: Record<string, string>): Promise<void> {
  const { id } = await one(z.object({ id: z.string() }), "select id from public.users where username = 'admin'");
  const names = Object.keys(given).map((name, index) => `${name} => $${index + 1}`);
  await client.query("begin");
  await client.query("set local role authenticated");
  await client.query("select set_config('request.jwt.claims', $1, true)", [
    JSON.stringify({ sub: id, role: "authenticated" }),
  ]);
  await client.query(`select operations.${operation}(${names.join(", ")})`, Object.values(given));
  await client.query("commit");
}

/** A worker that does the first task and waits for an answer that no one gives. */
async function workUntilItAsks(): Promise<void> {
  const words = ["worker", "--url", origin, "--token", token, "--exec", "demo", "--demo-ask"];
  const worker = spawn(process.execPath, [launch, ...words, "--work-dir", join(dataDir, "work")], {
    cwd: clone,
    env: environment,
    stdio: "inherit",
  });
  for (;;) {
    const open = await client.query("select 1 from public.agent_questions");
    if (open.rowCount) break;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  worker.kill("SIGKILL");
  await once(worker, "exit");
}

async function signIn(): Promise<string> {
  const answer = await fetch(`${origin}/login`, {
    method: "POST",
    redirect: "manual",
    headers: { origin, "content-type": "application/x-www-form-urlencoded" },
    body: new URLSearchParams({ identifier: "admin", password }),
  });
  const cookie = answer.headers.getSetCookie()[0]?.split(";")[0];
  if (cookie === undefined) throw new Error(`No one could sign in: ${answer.status}`);
  return cookie;
}

async function startPairing(): Promise<KeptRelease["pairing"]> {
  const answer = await fetch(`${origin}/api/auth/pair/start`, { method: "POST", headers: { origin } });
  const { pairingId, mobileSecret } = z
    .object({ pairingId: z.string(), mobileSecret: z.string() })
    .parse(await answer.json());
  return { id: pairingId, secret: mobileSecret };
}

async function admin(...words: string[]): Promise<string> {
  const command = spawn(process.execPath, [launch, "admin", ...words, "--json"], {
    cwd: clone,
    env: environment,
    stdio: ["ignore", "pipe", "inherit"],
  });
  let answer = "";
  for await (const chunk of command.stdout) answer += String(chunk);
  return answer;
}

/** Of its rules a service records the version only: their text is in the release's file. */
async function readMigrations(): Promise<KeptRelease["migrations"]> {
  const recorded = "select version, name, statements from supabase_migrations.schema_migrations order by version";
  const migrations: KeptRelease["migrations"] = (await client.query(recorded)).rows;
  for (const migration of migrations.filter(({ name }) => name === "rules")) {
    const file = join(clone, "supabase/migrations", `${migration.version}_rules.sql`);
    migration.statements = [await readFile(file, "utf8")];
  }
  return migrations;
}

/** Which rules it has is noted by the rules themselves. */
async function readTables(): Promise<KeptRelease["tables"]> {
  const { rows } = await client.query<{ name: string }>(
    `select oid::regclass::text as name from pg_catalog.pg_class
     where relkind = 'r' and relnamespace in ('public'::regnamespace, 'private'::regnamespace, 'auth'::regnamespace)
       and oid <> 'private.applied_rules'::regclass
     order by oid`,
  );
  const tables: KeptRelease["tables"] = [];
  for (const { name } of rows) {
    const columns = (await writableColumns(client, name)).join(", ");
    const found = await client.query<{ row: unknown }>(
      `select to_jsonb(t) as row from (select ${columns} from ${name}) t`,
    );
    if (found.rowCount) tables.push({ name, rows: found.rows.map(({ row }) => row) });
  }
  return tables;
}
