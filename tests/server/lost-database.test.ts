import { afterAll, expect, it } from "vitest";
import { z } from "zod";
import { withStartLock } from "../../supabase/embedded/postgres/attendance";
import { ownDataDir, postmasterOf } from "../embedded/own-stack";
import { create } from "../setup/world";
import { openStream } from "../streams/stream-reader";
import { killPostgres, openOwnDatabase, startService } from "./own-service";

const dataDir = await ownDataDir();
const service = await startService(dataDir);
const secondsSince = (at: number) => ((performance.now() - at) / 1_000).toFixed(2);
const ready = async () => (await fetch(`${service.origin}/api/ready`)).status;
afterAll(async () => {
  await service.end("SIGTERM");
});

it("The service is not ready while its database is frozen, and ready again without a restart", async () => {
  expect(await ready()).toBe(200);
  const store = await openOwnDatabase(dataDir);
  const rows = await store.query<{ pid: number }>`select pid from pg_stat_activity where pid <> pg_backend_pid()`;
  await store.close();
  const frozen = [await postmasterOf(dataDir), ...rows.map(({ pid }) => pid)];
  const tell = (signal: NodeJS.Signals) => {
    for (const pid of frozen) {
      try {
        process.kill(pid, signal);
      } catch {
        // A connection that ended has no process any more.
      }
    }
  };
  tell("SIGSTOP");
  try {
    await expect.poll(ready, { timeout: 3_000, interval: 50 }).toBe(503);
    expect((await fetch(`${service.origin}/api/health`)).status).toBe(200);
  } finally {
    tell("SIGCONT");
  }
  await expect.poll(ready, { timeout: 5_000, interval: 50 }).toBe(200);
  expect(service.process.exitCode).toBeNull();
}, 120_000);

it("No acknowledged write is lost when the database dies; the service is not ready, and streams catch up", async () => {
  const store = await openOwnDatabase(dataDir);
  const owner = await store.createUser();
  const { product, story } = await store.seedBacklog(owner);
  const given = { p_story_id: story.id, p_title: "Task" };
  const task = await create(store.actorOf(owner), "create_task", given);
  const headers = { ...(await store.bearerOf(owner)), "content-type": "application/json" };
  await store.close();
  const change = async (n: number) => {
    const answer = await fetch(`${service.origin}/api/tasks/${task.id}`, {
      method: "PATCH",
      headers,
      body: JSON.stringify({ implementation_plan: `Plan ${n}` }),
    });
    await answer.arrayBuffer();
    return answer.status;
  };
  const path = `/api/realtime/backlog?product_id=${product.id}`;
  const stream = await openStream(`${service.origin}${path}`, headers);
  await stream.nextNamed("ready");

  // While the lock is held no one brings the database back.
  let kept = 0;
  await withStartLock(dataDir, async () => {
    let acknowledged = 0;
    let refused = 0;
    const writing = (async () => {
      while (refused < 3) {
        const status = await change(acknowledged + 1);
        if (status === 200) acknowledged += 1;
        else refused += 1;
        if (status !== 200) expect(status).toBe(503);
      }
    })();
    await expect.poll(() => acknowledged).toBeGreaterThan(3);
    const killedAt = performance.now();
    await killPostgres(dataDir);
    await expect.poll(ready, { interval: 20 }).toBe(503);
    console.log(`Not ready ${secondsSince(killedAt)} s after the kill`);
    await writing;
    expect((await fetch(`${service.origin}/api/health`)).status).toBe(200);
    kept = acknowledged;
  });
  const backAt = performance.now();
  await expect.poll(ready, { interval: 20 }).toBe(200);
  console.log(`Ready ${secondsSince(backAt)} s after Postgres may start again`);

  const answer = await fetch(`${service.origin}/api/tasks/${task.id}`, { headers });
  const { implementation_plan } = z.object({ implementation_plan: z.string() }).parse(await answer.json());
  // One may have been committed and its answer lost.
  expect([`Plan ${kept}`, `Plan ${kept + 1}`]).toContain(implementation_plan);
  expect(await change(kept + 2)).toBe(200);
  // The stream says that it missed something, and that all is to be read again; then it continues.
  await stream.nextNamed("error");
  await stream.nextNamed("ready");
  expect(await change(kept + 3)).toBe(200);
  await stream.nextWhere(({ data }) => data.entity === "task" && data.id === task.id);
}, 120_000);
