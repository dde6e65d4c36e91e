import { beforeEach, expect, it } from "vitest";
import { claimAgentJob } from "~/nouns/agent-jobs/operations.server";
import { startSprintRun } from "~/nouns/sprint-runs/operations.server";
import { workerHeartbeat } from "~/nouns/workers/operations.server";
import { soloJobsSchema } from "~/wire/events";
import { openApp } from "../setup/app";
import { finish } from "../setup/world";
import { openStream, type StreamMessage, type StreamReader } from "./stream-reader";
import { createWorld, type World } from "./world";

const { t, app } = await openApp({ realtime: true });

let w: World;

beforeEach(async () => {
  w = await createWorld(t);
  await t.query`update public.tasks set implementation_plan = 'Warp, then weft' where id = ${w.taskId}`;
});

async function connect(stream = "solo"): Promise<StreamReader> {
  const url = `${app.origin}/api/realtime/${stream}?product_id=${w.productId}`;
  const reader = await openStream(url, await t.bearerOf(w.member));
  await reader.nextNamed(stream === "solo" ? "workers" : "ready");
  return reader;
}

const about = (entity: string) => (message: StreamMessage) => message.data.entity === entity;

it("A job is announced on the solo stream when queued, claimed and done, and its task with it", async () => {
  const reader = await connect();
  const actor = t.actorOf(w.member);
  const run = await startSprintRun(actor, { sprint_id: w.sprintId });
  const queued = await reader.nextWhere(about("job"));
  expect(queued.data).toMatchObject({
    op: "I",
    product_id: w.productId,
    task_id: w.taskId,
    kind: "TASK_IMPLEMENTATION",
    status: "QUEUED",
    sprint_run_id: run.id,
  });

  const { job } = await claimAgentJob(actor, { worker: "loom-1", product_id: w.productId });
  if (!job) throw new Error("No job was given");
  await reader.nextWhere(({ data }) => data.entity === "job" && data.status === "CLAIMED");
  const started = reader.messages.filter(about("task")).at(-1);
  expect(started?.data).toMatchObject({ id: w.taskId, task_status: "IN_PROGRESS" });

  await finish(actor, job);
  await reader.nextWhere(({ data }) => data.entity === "task" && data.task_status === "DONE");
  await reader.nextWhere(({ data }) => data.entity === "job" && data.status === "DONE");
});

it("The solo stream begins with the unfinished jobs and the count of workers", async () => {
  const actor = t.actorOf(w.member);
  const run = await startSprintRun(actor, { sprint_id: w.sprintId });
  await workerHeartbeat(actor, { worker: "loom-1" });
  const reader = await connect();
  const jobs = reader.messages.find(({ event }) => event === "jobs");
  expect(jobs?.data).toEqual({
    jobs: [
      {
        id: expect.any(String),
        task_id: w.taskId,
        kind: "TASK_IMPLEMENTATION",
        status: "QUEUED",
        sprint_run_id: run.id,
      },
    ],
  });
  expect(soloJobsSchema.safeParse(jobs?.data).success).toBe(true);
  const workers = reader.messages.find(({ event }) => event === "workers");
  expect(workers?.data).toEqual({ count: 1 });
});

it("A worker is announced on the solo stream when it comes and stops, not with every heartbeat", async () => {
  const reader = await connect();
  const actor = t.actorOf(w.member);
  await workerHeartbeat(actor, { worker: "loom-2" });
  const came = await reader.next();
  expect(came.data).toMatchObject({ op: "I", entity: "worker", name: "loom-2", stopped: false });
  await workerHeartbeat(actor, { worker: "loom-2" });
  await workerHeartbeat(actor, { worker: "loom-2" });
  await workerHeartbeat(actor, { worker: "loom-2", stopped: true });
  expect((await reader.next()).data).toMatchObject({ op: "U", stopped: true });
});

it("A run and its jobs are announced on the backlog stream", async () => {
  const reader = await connect("backlog");
  const run = await startSprintRun(t.actorOf(w.member), { sprint_id: w.sprintId });
  const { data } = await reader.nextWhere(about("sprint_run"));
  expect(data).toMatchObject({ op: "I", id: run.id, sprint_id: w.sprintId, run_status: "QUEUED" });
  await reader.nextWhere(about("job"));
});
