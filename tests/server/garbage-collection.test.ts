import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { z } from "zod";
import { restartWorker } from "~/nouns/workers/operations.server";
import { ownDataDir } from "../embedded/own-stack";
import { connectClient } from "../mcp/clients";
import { ok } from "../mcp/stage";
import { startPairing } from "../pairing/pairing-requests";
import { bearer } from "../setup/world";
import { openStream, type StreamReader } from "../streams/stream-reader";
import { startRun } from "../worker/fixture";
import { openOwnDatabase, startService } from "./own-service";

const dataDir = await ownDataDir();
const collector = fileURLToPath(new URL("collect-garbage.mjs", import.meta.url));
const service = await startService(dataDir, {
  nodeOptions: ["--expose-gc", "--import", collector],
  env: { STREAM_HEARTBEAT_SECONDS: "1", STREAM_LIFETIME_SECONDS: "20" },
});
const store = await openOwnDatabase(dataDir);
const ada = await store.createUser({ username: "ada" });
const token = await store.createToken(ada);
const worker = await connectClient(service, token, "2026-07-28", "/mcp/worker");
const cookie = await signIn();

/** The `Cookie` header of a browser that signs in at the page. */
async function signIn(): Promise<string> {
  const answer = await fetch(`${service.origin}/login`, {
    method: "POST",
    redirect: "manual",
    headers: { origin: service.origin },
    body: new URLSearchParams({ identifier: ada.username, password: ada.password }),
  });
  return answer.headers
    .getSetCookie()
    .map((line) => line.split(";")[0])
    .join("; ");
}

const tuple = z.tuple([z.number(), z.number(), z.number()]);
const jobSchema = z.object({ job: z.object({ id: z.string() }) });

function waitFor(code: string, seconds: number) {
  const wish = { worker: `worker of ${code}`, product_id: code, wait_seconds: seconds };
  return worker.call("wait_for_job", wish);
}

/** A product whose only job is held, so that anyone who waits for another one waits. */
async function busyProduct(code: string) {
  const { productId } = await startRun(store, ada, { code });
  const { job } = jobSchema.parse(ok(await waitFor(code, 0)));
  return { productId, jobId: job.id };
}

/** Another process gives the job back: the service hears of it from the database. */
const giveBack = (code: string) => restartWorker(store.actorOf(ada), { worker: `worker of ${code}` });

async function connect(path: string, headers: HeadersInit): Promise<StreamReader> {
  const reader = await openStream(`${service.origin}${path}`, headers);
  await reader.next();
  return reader;
}

async function collections(times: number): Promise<void> {
  const { stderr } = service.process;
  if (!stderr) throw new Error("the service has no stderr");
  for (let seen = 0; seen < times; seen++) await once(stderr, "data");
}

it("Waits for a job each end at their own time while memory is collected", async () => {
  await busyProduct("TIME");
  const ended = [2, 4, 12].map(async (seconds) => {
    expect(ok(await waitFor("TIME", seconds))).toMatchObject({ job: null });
    return performance.now();
  });
  const [first, second, third] = tuple.parse(await Promise.all(ended));
  // Each with its own time: a wait without one ends with anything that happens next in the product, all of them at once.
  expect(second - first).toBeGreaterThan(1_000);
  expect(third - second).toBeGreaterThan(5_000);
});

it("A wait for a job hears of a new one while memory is collected", async () => {
  const { jobId } = await busyProduct("HEARS");
  const waiting = waitFor("HEARS", 50);
  await collections(5);
  await giveBack("HEARS");
  expect(ok(await waiting)).toMatchObject({ job: { id: jobId } });
});

it("Streams beat, send changes, and end on time while memory is collected", async () => {
  const { jobId, productId } = await busyProduct("STREAMS");
  const desktop = await startPairing(service);
  const ofJob = await Promise.all(
    [`solo?product_id=${productId}`, `backlog?product_id=${productId}`, `job?job_id=${jobId}`].map((path) =>
      connect(`/api/realtime/${path}`, bearer(token)),
    ),
  );
  const others = await Promise.all([
    connect("/api/realtime/notifications", { cookie }),
    connect(`/api/auth/pair/stream/${desktop.id}`, { cookie: desktop.cookie }),
  ]);
  await collections(10);
  await giveBack("STREAMS");
  for (const reader of ofJob) await reader.nextWhere(({ data }) => data.id === jobId);
  for (const reader of [...ofJob, ...others]) {
    expect(await reader.ended).toBe("clean");
    expect(reader.comments.length).toBeGreaterThan(2);
  }
});

it("A stop ends waits and streams after memory was collected", async () => {
  await busyProduct("STOP");
  const waiting = waitFor("STOP", 50);
  const reader = await connect("/api/realtime/notifications", { cookie });
  await collections(5);
  service.process.kill("SIGTERM");
  expect(ok(await waiting)).toMatchObject({ job: null });
  expect(await reader.ended).toBe("clean");
  await service.ended;
});
