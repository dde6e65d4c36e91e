import { createHash } from "node:crypto";
import type pg from "pg";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { connectDatabase, type Database } from "~/db/database.server";
import { ContractError } from "~/wire/errors";
import { compareDatabases } from "../../supabase/declarative/compare-databases";
import { migrateDatabase } from "../../supabase/embedded/migrate";
import { listMigrations } from "../../supabase/embedded/migrations";
import { runSupabaseCli } from "../../supabase/embedded/supabase-cli";
import { createEmptyDatabase, createTestDatabase } from "../setup/database";
import { type KeptRelease, readKeptRelease } from "./kept-release";
import { restoreDatabase, withClient } from "./restore-release";

/** A Supabase project that a release made, with the rows it left. */
async function restoreProject(kept: KeptRelease) {
  const { url, remove } = await createEmptyDatabase();
  const urlFor = (role: string) => Object.assign(new URL(url), { username: role }).href;
  await restoreDatabase(kept, urlFor);
  return { urlFor, remove };
}

const idSchema = z.looseObject({ id: z.string() });

function idsOf({ tables }: KeptRelease, name: string): string[] {
  const rows = tables.find((table) => table.name === name)?.rows ?? [];
  return rows.map((row) => idSchema.parse(row).id);
}

/** What waited for longer than a call waits is asked again, as agents and browsers do. */
async function untilAnswered(call: () => Promise<unknown>): Promise<void> {
  for (;;) {
    const failure = await call().then(
      () => undefined,
      (error: unknown) => error,
    );
    if (failure === undefined) return;
    if (!(failure instanceof ContractError && failure.status === 503)) throw failure;
  }
}

/** Someone who changes a task and reads its product, one call after the other. */
function work(database: Database, kept: KeptRelease, taskId: string) {
  const token_hash = createHash("sha256").update(kept.token).digest("hex");
  const [p_product_id] = idsOf(kept, "products");
  const done = { taskId, changes: 0, isOver: false };
  const turns = async () => {
    while (!done.isOver) {
      const p_implementation_plan = `Change ${done.changes + 1}`;
      const change = { p_task_id: taskId, p_implementation_plan };
      await untilAnswered(() => database.callAs({ token_hash }, "update_task", change));
      done.changes += 1;
      const asked = { p_product_id };
      await untilAnswered(() => database.callAs({ token_hash }, "get_agent_context", asked));
    }
  };
  return { done, ended: turns() };
}

describe.each([
  { version: "0.2.0", has: 2 },
  { version: "0.3.0", has: 4 },
])("a project of $version", { timeout: 120_000 }, ({ version, has }) => {
  it("A project of an earlier release is migrated while its service works, and no call is lost", async () => {
    const kept = await readKeptRelease(version);
    const { urlFor, remove } = await restoreProject(kept);
    const database = connectDatabase({
      supabaseUrl: "http://127.0.0.1:9",
      publishableKey: "none",
      secretKey: "none",
      databaseUrl: urlFor("authenticator"),
    });
    const people = idsOf(kept, "tasks").map((id) => work(database, kept, id));
    const counts = () => people.map(({ done }) => done.changes);
    await expect.poll(() => Math.min(...counts())).toBeGreaterThan(2);

    // Its records are those of the files up to its release.
    const { applied } = await migrateDatabase(urlFor("postgres"));
    expect(applied).toBe((await listMigrations()).length - has);
    const after = counts().map((changes) => changes + 2);
    await expect.poll(() => counts().every((n, index) => n > (after[index] ?? 0))).toBe(true);
    for (const { done } of people) done.isOver = true;
    await Promise.all(people.map(({ ended }) => ended));
    await database.close();

    const { rows } = await withClient(urlFor("postgres"), (client) =>
      client.query("select id, implementation_plan as plan from public.tasks"),
    );
    const plans = new Map(rows.map(({ id, plan }) => [id, plan]));
    for (const { done } of people) expect(plans.get(done.taskId)).toBe(`Change ${done.changes}`);
    await remove();
  });
});

describe("a database of an earlier release", { timeout: 120_000 }, () => {
  const fresh = createTestDatabase();

  it.each(["0.1.0", "0.2.0", "0.3.0", "0.4.0"])(
    "A database of release %s becomes a new one, object by object, though killed twice in the middle",
    async (version) => {
      const { urlFor, remove } = await restoreProject(await readKeptRelease(version));
      const url = urlFor("postgres");
      for (const part of ["do $drop$", "set local check_function_bodies"]) {
        const migrated = migrateDatabase(url).then(
          () => "migrated",
          () => "killed",
        );
        await withClient(url, (client) => expect.poll(() => kill(client, part), { interval: 5 }).toBe(1));
        expect(await migrated).toBe("killed");
      }
      await migrateDatabase(url);
      expect(await compareDatabases(url, (await fresh).urlFor("postgres"))).toEqual([]);
      expect(await migrateDatabase(url)).toEqual({ applied: 0 });
      await remove();
    },
  );
});

/** Ends the connection that runs a statement that begins with this, and says how many there were. */
async function kill(client: pg.ClientBase, part: string): Promise<number> {
  const { rows } = await client.query(
    `select pg_terminate_backend(pid) from pg_catalog.pg_stat_activity
     where datname = current_database() and pid <> pg_backend_pid() and strpos(query, $1) > 0 and state = 'active'`,
    [part],
  );
  return rows.length;
}

describe("the Supabase CLI", { timeout: 120_000 }, () => {
  const pushed = async (url: string) => {
    await runSupabaseCli(["db", "push", `--remote=${url}`, "--yes"]);
    // What it pushed are the rules of the last release; those of today are applied as between releases.
    expect((await migrateDatabase(url)).applied).toBe(0);
    return compareDatabases(url, (await createTestDatabase()).urlFor("postgres"));
  };

  it("The Supabase CLI pushes steps and rules into an empty project", async () => {
    const { url, remove } = await createEmptyDatabase();
    expect(await pushed(url)).toEqual([]);
    await remove();
  });

  it("The Supabase CLI pushes steps and rules into a project of 0.4.0", async () => {
    const { urlFor, remove } = await restoreProject(await readKeptRelease("0.4.0"));
    expect(await pushed(urlFor("postgres"))).toEqual([]);
    await remove();
  });
});

const callSchema = z.object({ name: z.string(), taken: z.array(z.string()), required: z.array(z.string()) });

/** What a service may call as a user, with the parameters that it may and must name. */
async function readCalls(url: string, schema: string) {
  const { rows } = await withClient(url, (client) =>
    client.query(
      `select p.proname as name, p.taken, p.taken[1:p.pronargs - p.pronargdefaults] as required
       from (select *, coalesce(proargnames, '{}') as taken from pg_catalog.pg_proc) p
       where p.pronamespace = to_regnamespace($1) and has_function_privilege('authenticated', p.oid, 'execute')`,
      [schema],
    ),
  );
  return z.array(callSchema).parse(rows);
}

// No release called `create_agent_job`: it only said what to do in its place.
it.each([
  { version: "0.2.0", schema: "public", gone: ["add_product_member", "create_agent_job"] },
  { version: "0.3.0", schema: "operations", gone: ["create_agent_job"] },
  { version: "0.4.0", schema: "operations", gone: [] },
  { version: "0.5.0", schema: "operations", gone: [] },
])("Functions that release $version calls still exist with their parameters", async ({ version, schema, gone }) => {
  const t = await createTestDatabase();
  const now = new Map((await readCalls(t.urlFor("postgres"), "operations")).map((call) => [call.name, call]));
  const { urlFor, remove } = await restoreProject(await readKeptRelease(version));
  const lost = (await readCalls(urlFor("postgres"), schema)).filter(({ name, taken, required }) => {
    const call = now.get(name);
    const isTaken = taken.every((parameter) => call?.taken.includes(parameter));
    return !isTaken || !call?.required.every((parameter) => required.includes(parameter));
  });
  expect(lost.map(({ name }) => name).sort()).toEqual(gone);
  await remove();
});
