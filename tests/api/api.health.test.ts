import { createServer, type Server } from "node:net";
import { afterAll, expect, it } from "vitest";
import { connectDatabase } from "~/db/database.server";
import { startTestApp } from "../setup/app";
import { createTestDatabase } from "../setup/database";
import { portOf } from "../setup/port-of";

const t = await createTestDatabase();
const app = await startTestApp(t);

it("GET /api/health answers 200 without authentication", async () => {
  const response = await app.request("/api/health");
  expect(response.status).toBe(200);
  expect(await response.json()).toEqual({
    status: "ok",
    version: app.services.version,
    time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
  });
});

it("GET /api/health?db=1 adds the state of the database", async () => {
  // A database that takes longer than the deadline is rightly called down; a busy machine can make the first call so.
  const health = async () => (await app.request("/api/health?db=1")).json();
  await expect.poll(health).toMatchObject({ status: "ok", database: "ok" });
});

it.each(["?db=0", "?db=2", "?db=", "?db=0&db=1", "?other=1"])("Health shows no database for %s", async (query) => {
  const response = await app.request(`/api/health${query}`);
  expect(response.status).toBe(200);
  expect(await response.json()).not.toHaveProperty("database");
});

it("GET /api/health is never cached", async () => {
  const response = await app.request("/api/health");
  expect(response.headers.get("cache-control")).toBe("no-store");
});

const servers: Server[] = [];
afterAll(() => {
  for (const server of servers) server.close();
});

function silentPort(): Promise<number> {
  const server = createServer((socket) => socket.on("error", () => socket.destroy()));
  servers.push(server);
  return portOf(server);
}

function databaseAt(port: number) {
  const database = connectDatabase({
    ...t.supabase,
    databaseUrl: `postgresql://no one:nothing@127.0.0.1:${port}/none`,
  });
  afterAll(() => database.close());
  return database;
}

it("The health answer is 200 with the database down when nothing listens at its address", async () => {
  const app = await startTestApp(t, { database: databaseAt(1) });
  const response = await app.request("/api/health?db=1");
  expect(response.status).toBe(200);
  expect(await response.json()).toMatchObject({ status: "ok", database: "down" });
});

it("The health answer is 200 with the database down, by its own deadline, when the database hangs", async () => {
  const app = await startTestApp(t, { database: databaseAt(await silentPort()) });
  const response = await app.request("/api/health?db=1");
  expect(response.status).toBe(200);
  expect(await response.json()).toMatchObject({ status: "ok", database: "down" });
});

it("A flood of health checks asks the database only about once a second", async () => {
  let calls = 0;
  const database = {
    ...t.database,
    call: (name: string, values: Record<string, unknown>) => {
      calls += 1;
      return t.database.call(name, values);
    },
  };
  const app = await startTestApp(t, { database });
  const answers = await Promise.all(
    Array.from({ length: 200 }, async () => (await app.request("/api/health?db=1")).json()),
  );
  expect(answers.filter(({ database: state }) => state === undefined)).toEqual([]);
  // One a second: far fewer than were asked for, however slow the machine is.
  expect(calls).toBeLessThan(20);
});
