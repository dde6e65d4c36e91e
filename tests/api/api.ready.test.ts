import { expect, it, onTestFinished, vi } from "vitest";
import { connectDatabase } from "~/db/database.server";
import { startTestApp } from "../setup/app";
import { createTestDatabase } from "../setup/database";
import { startTcpProxy } from "../setup/tcp-proxy";

const t = await createTestDatabase({ transport: "session" });

/** An app that reaches its database by a way that can be cut off. */
async function startBehindProxy(connections?: number) {
  const url = new URL(t.urlFor("authenticator"));
  const proxy = await startTcpProxy(Number(url.port));
  url.port = String(proxy.port);
  const database = connectDatabase({ ...t.supabase, databaseUrl: url.href, connections });
  onTestFinished(async () => {
    await Promise.all([database.close(), proxy.close()]);
  });
  const app = await startTestApp(t, { database });
  return { app, proxy, status: async () => (await app.request("/api/ready")).status };
}

it("GET /api/ready is 503 while the database is away and 200 when it is back, and the server stays up", async () => {
  const { app, proxy, status } = await startBehindProxy();
  await expect.poll(status).toBe(200);
  proxy.refuse();
  await expect.poll(status).toBe(503);
  const refused = await app.request("/api/ready");
  expect(refused.headers.get("retry-after")).toBe("1");
  expect(await refused.json()).toEqual({ error: "The database does not answer. Try again.", code: 503 });
  expect((await app.request("/api/health")).status).toBe(200);
  const metrics = await (await app.request("/metrics")).text();
  expect(metrics).toContain("\nbackloom_database_up 0\n");
  expect(metrics).toContain("backloom_resident_memory_bytes");
  expect(metrics).not.toContain("backloom_jobs_held");
  proxy.allow();
  await expect.poll(status).toBe(200);
});

it("GET /api/ready is 503 when the network falls silent, and 200 once new connections get through", async () => {
  const { proxy, status } = await startBehindProxy(1);
  await expect.poll(status).toBe(200);
  proxy.freeze();
  await expect.poll(status).toBe(503);
  // New connections get through; the only one that may be open is still the silent one.
  await expect.poll(status).toBe(200);
});

it("GET /api/ready needs no credential, and says which version serves", async () => {
  const app = await startTestApp(t);
  await vi.waitFor(async () => {
    const response = await app.request("/api/ready");
    expect(await response.json()).toEqual({ status: "ready", version: app.services.version });
  }, 120_000);
});
