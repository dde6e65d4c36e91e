import { afterAll, expect, it } from "vitest";
import { ownDataDir, postmasterOf } from "../embedded/own-stack";
import { openOwnDatabase, startService } from "./own-service";

const dataDir = await ownDataDir();
const service = await startService(dataDir);
const store = await openOwnDatabase(dataDir);
const ready = async () => (await fetch(`${service.origin}/api/ready`)).status;
afterAll(async () => {
  service.process.kill("SIGTERM");
  await service.ended;
});

it("is not ready while the database is frozen, and ready again without a restart", async () => {
  expect(await ready()).toBe(200);
  const { rows } = await store.sql.query<{ pid: number }>(
    "select pid from pg_stat_activity where pid <> pg_backend_pid()",
  );
  await store.close();
  const frozen = [await postmasterOf(dataDir), ...rows.map(({ pid }) => pid)];
  const tell = (signal: NodeJS.Signals) => {
    for (const pid of frozen) {
      try {
        process.kill(pid, signal);
      } catch {
        // A connection that ended meanwhile has no process any more.
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
}, 60_000);
