import { beforeAll, describe, expect, it, vi } from "vitest";
import { ownDataDir } from "../embedded/own-stack";
import { connectClient } from "../mcp/clients";
import { at } from "../setup/world";
import { type Holder, operations, prepareScene, rowsOf, type Scene, statusesIn, takeRow } from "./midway";
import { killPostgres, killService, openOwnDatabase, startService } from "./own-service";

const dataDir = await ownDataDir();
let service = await startService(dataDir);
let store = await openOwnDatabase(dataDir);

/** How each operation leaves its product when nothing comes in between. */
const whole = new Map<string, unknown>();
for (const operation of operations) {
  const scene = await prepareScene(store, operation);
  if (!(await carryOut(scene))) throw new Error(`${operation.name} was refused`);
  whole.set(operation.name, await statusesIn(store, scene));
}

interface Stopped extends Scene {
  before: unknown;
  holder: Holder;
  heard: boolean;
}

/** Runs the operation over the service; false when it was refused. */
async function carryOut({ world, call }: Scene): Promise<boolean> {
  const client = await connectClient(service, await store.createToken(world.owner));
  try {
    return !(await client.call(call.tool, call.input)).isError;
  } finally {
    await client.close().catch(() => undefined);
  }
}

/** Holds all operations in the middle at the same moment, kills, and waits until everyone has heard something. */
async function killMidway(kill: (release: () => void) => Promise<void>): Promise<Stopped[]> {
  const scenes: Stopped[] = [];
  for (const operation of operations) {
    const scene = await prepareScene(store, operation);
    const before = await rowsOf(store, scene);
    scenes.push({ ...scene, before, holder: await takeRow(store, scene), heard: false });
  }
  let isOver = false;
  const calls = scenes.map(async (scene) => {
    // Anyone who waits too long for a row is asked to come again.
    while (!isOver && !scene.heard) scene.heard = await carryOut(scene).catch(() => false);
  });
  await vi.waitFor(async () => expect(await waiting(scenes)).toEqual(operations.map(({ name }) => name)), {
    timeout: 60_000,
    interval: 20,
  });
  isOver = true;
  await kill(() => {
    for (const { holder } of scenes) holder.release();
  });
  await Promise.all(calls);
  return scenes;
}

/** The operations that have changed something and wait for their row. */
async function waiting(scenes: readonly Stopped[]): Promise<string[]> {
  const { rows } = await store.sql.query<{ name: string }>(
    `select o.name from json_to_recordset($1) as o (name text, holder int, changed text)
     where exists (
       select from pg_stat_activity a join pg_locks l on l.pid = a.pid
       where o.holder = any (pg_blocking_pids(a.pid)) and l.mode = 'RowExclusiveLock'
         and l.relation = ('public.' || o.changed)::regclass)`,
    [JSON.stringify(scenes.map(({ operation: { name, changed }, holder }) => ({ name, changed, holder: holder.pid })))],
  );
  return rows.map(({ name }) => name);
}

/** Waits until no connection of the service is left that still works. */
async function serviceIsGone(): Promise<void> {
  // The connections of the test itself are idle.
  const question = "select from pg_stat_activity where application_name = 'backloom' and state <> 'idle'";
  await vi.waitFor(async () => expect((await store.sql.query(question)).rowCount).toBe(0), 60_000);
}

async function isWellAgain(): Promise<void> {
  await vi.waitFor(async () => {
    const health = await fetch(`${service.origin}/api/health?db=1`);
    expect(await health.json()).toMatchObject({ database: "ok" });
  }, 120_000);
}

const kills: Record<string, (release: () => void) => Promise<void>> = {
  async "app and Postgres"(release) {
    await killService(service);
    await killPostgres(dataDir);
    release();
    service = await startService(dataDir);
  },
  async "Postgres alone"(release) {
    await killPostgres(dataDir);
    release();
    await isWellAgain();
  },
  async "one connection of Postgres"(release) {
    const rows = await store.query<{ pid: number }>`select pid from pg_stat_activity
      where application_name = 'backloom' and wait_event_type = 'Lock' limit 1`;
    process.kill(at(rows, 0).pid, "SIGKILL");
    release();
    await isWellAgain();
  },
  async "app alone"(release) {
    await killService(service);
    release();
    await serviceIsGone();
    service = await startService(dataDir);
  },
};

describe.each(Object.keys(kills))("J12: %s killed with -9 in the middle of a call", (name) => {
  let scenes: Stopped[];
  beforeAll(async () => {
    scenes = await killMidway(kills[name] ?? raise);
    await store.close();
    store = await openOwnDatabase(dataDir);
  }, 180_000);

  it("J12: Jobs wait for what they say they wait for after a kill in the middle of a call", async () => {
    await store.expectRightCounters();
  });

  it.each(operations.map((operation) => operation.name))("J12: A killed call of %s is all or nothing", async (what) => {
    const scene = scenes.find(({ operation }) => operation.name === what) ?? raise();
    const isUntouched = isEqual(await rowsOf(store, scene), scene.before);
    // What no one let go on before everything was killed cannot have been done.
    if (name === "app and Postgres") expect(isUntouched).toBe(true);
    if (isUntouched) {
      expect(scene.heard).toBe(false);
      expect(await carryOut(scene)).toBe(true);
    }
    expect(await statusesIn(store, scene)).toEqual(whole.get(what));
    await store.expectRightCounters();
  });
});

function isEqual(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

function raise(): never {
  throw new Error("There is no such kill or operation.");
}
