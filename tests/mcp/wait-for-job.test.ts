import { expect, it } from "vitest";
import { listProducts, updateProduct } from "~/nouns/products/operations.server";
import { openJobBell } from "~/realtime/job-bell";
import { topics } from "~/wire/events";
import { startTestApp } from "../setup/app";
import { bearer } from "../setup/world";
import { connectBoth, createProduct, ok, openStage, startRun } from "./stage";

const stage = await openStage();
const { t, app, ada, token } = stage;

it("wait_for_job answers as soon as a job is there, not when its time is over", async () => {
  const { agent, worker } = await connectBoth(stage);
  await createProduct(stage, "WAKE");
  const waiting = worker.call("wait_for_job", { worker: "waiter", product_id: "WAKE" });
  await expect.poll(() => app.services.hub.gauges.viewers).toBeGreaterThanOrEqual(2);
  await startRun(agent, "WAKE");
  expect(ok(await waiting)).toMatchObject({ job: { status: "claimed" }, reason: null });
  expect(app.services.hub.gauges.viewers).toBe(0);
});

it("wait_for_job asks again as soon as its product no longer requires a sandbox", async () => {
  await createProduct(stage, "LOOSE");
  const actor = t.actorOf(ada);
  const product_id = (await listProducts(actor)).find(({ code }) => code === "LOOSE")?.id ?? "";
  await updateProduct(actor, { product_id, requires_sandbox: true });
  // Nothing but the event itself may ring.
  const { hub } = (await startTestApp(t, { compareMs: 3_600_000 })).services;
  const viewer = { event() {}, lost() {}, resync() {}, missed: () => true };
  const joined = [topics.user(ada.id), topics.product(product_id)].map((topic) => hub.subscribe(topic, viewer));
  await expect.poll(() => joined.every(({ isJoined }) => isJoined)).toBe(true);
  const bell = openJobBell(hub, ada.id, [product_id]);
  await updateProduct(actor, { product_id, requires_sandbox: false });
  await bell.nextRing(3_600_000, new AbortController().signal);
  bell.close();
  for (const subscription of joined) subscription.close();
});

it("wait_for_job reports why there is no job, and tells a worker without quota at once", async () => {
  const { worker } = await connectBoth(stage);
  await createProduct(stage, "NONE");
  const wish = { worker: "waiter-2", product_id: "NONE" };
  expect(ok(await worker.call("wait_for_job", { ...wish, wait_seconds: 0 }))).toMatchObject({
    job: null,
    reason: { code: "empty", message: expect.any(String) },
  });
  expect(ok(await worker.call("wait_for_job", { ...wish, quota_pct: 1 }))).toMatchObject({
    job: null,
    reason: { code: "quota" },
  });
});

it("wait_for_job stops waiting and claims nothing when its caller is gone", async () => {
  const { agent } = await connectBoth(stage);
  await createProduct(stage, "GONE");
  const caller = new AbortController();
  const call = { name: "wait_for_job", arguments: { worker: "leaver", product_id: "GONE" } };
  const request = app.request("/mcp/worker", {
    method: "POST",
    signal: caller.signal,
    headers: { ...bearer(token), "content-type": "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: call }),
  });
  await expect.poll(() => app.services.hub.gauges.viewers).toBeGreaterThanOrEqual(2);
  caller.abort();
  await expect(request).rejects.toThrow();
  await expect.poll(() => app.services.hub.gauges.viewers).toBe(0);
  const run = await startRun(agent, "GONE");
  expect(ok(await agent.call("get_sprint_run", { sprint_run_id: run.id }))).toMatchObject({
    jobs: [{ status: "queued" }],
  });
});

it("wait_for_job is the last call of a batch whose caller is gone", async () => {
  const { worker } = await connectBoth(stage);
  await createProduct(stage, "BATCH");
  const caller = new AbortController();
  const calls = [
    { name: "wait_for_job", arguments: { worker: "first", product_id: "BATCH" } },
    { name: "worker_heartbeat", arguments: { worker: "second" } },
  ];
  // One id for both: the protocol remembers one caller an id.
  const batch = calls.map((params) => ({ jsonrpc: "2.0", id: 1, method: "tools/call", params }));
  const request = app.request("/mcp/worker", {
    method: "POST",
    signal: caller.signal,
    headers: { ...bearer(token), "content-type": "application/json" },
    body: JSON.stringify(batch),
  });
  await expect.poll(() => app.services.hub.gauges.viewers).toBeGreaterThanOrEqual(2);
  caller.abort();
  await expect(request).rejects.toThrow();
  await expect.poll(() => app.services.hub.gauges.viewers).toBe(0);
  for (let look = 0; look < 5; look += 1) {
    ok(await worker.call("worker_heartbeat", { worker: "third" }));
    const rows = await t.query`select name from public.agent_workers where name in ('first', 'second', 'third')`;
    expect(rows.map(({ name }) => name).sort()).toEqual(["first", "third"]);
  }
});

it("wait_for_job ends its waiting when the service stops", async () => {
  const other = await startTestApp(t);
  const { worker } = await connectBoth({ app: other, token });
  await createProduct(stage, "STOPS");
  const waiting = worker.call("wait_for_job", { worker: "stopper", product_id: "STOPS" });
  await expect.poll(() => other.services.hub.gauges.viewers).toBeGreaterThanOrEqual(2);
  const stopped = other.stop();
  expect(ok(await waiting)).toMatchObject({ job: null, reason: { code: "empty" } });
  await stopped;
});

it("wait_for_job lets twenty calls of a user wait, and refuses the next with a time to come back", {
  tags: "thorough",
}, async () => {
  const { worker } = await connectBoth(stage);
  await createProduct(stage, "CROWD");
  const wish = { worker: "crowd", product_id: "CROWD" };
  const calls = Array.from({ length: 20 }, () => worker.call("wait_for_job", { ...wish, wait_seconds: 10 }));
  await expect.poll(() => app.services.hub.gauges.viewers).toBeGreaterThanOrEqual(40);
  const refused = await worker.call("wait_for_job", { ...wish, wait_seconds: 5 });
  expect(refused).toMatchObject({ isError: true, result: { code: 429, retry_after: 10 } });
  const asked = await worker.call("wait_for_job", { ...wish, wait_seconds: 0 });
  expect(ok(asked)).toMatchObject({ job: null });
  for (const call of calls) expect(ok(await call)).toMatchObject({ job: null });
  expect(ok(await worker.call("wait_for_job", { ...wish, wait_seconds: 1 }))).toMatchObject({ job: null });
});
