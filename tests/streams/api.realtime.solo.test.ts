import { randomUUID } from "node:crypto";
import { beforeEach, describe, expect, it } from "vitest";
import { soloJobsSchema, soloReadySchema, soloWorkersSchema } from "~/wire/events";
import { openApp } from "../setup/app";
import { bearer } from "../setup/world";
import { openStream, type StreamReader } from "./stream-reader";
import { createSprint, createStory, createTask, createWorld, type World } from "./world";

const { t, app } = await openApp({ realtime: true });

let w: World;

beforeEach(async () => {
  w = await createWorld(t);
});

const path = "/api/realtime/solo";

async function connect(user = w.member, headers?: HeadersInit): Promise<StreamReader> {
  const credential = headers ?? (await t.bearerOf(user));
  const reader = await openStream(`${app.origin}${path}?product_id=${w.productId}`, credential);
  return reader;
}

async function connectLive(user = w.member): Promise<StreamReader> {
  const reader = await connect(user);
  await reader.nextNamed("workers");
  return reader;
}

function update(table: string, id: string, change: string, values: unknown[] = []) {
  return t.sql.query(`update public.${table} set ${change} where id = $${values.length + 1}`, [...values, id]);
}

it("The solo stream begins with ready, then jobs, then workers", async () => {
  const reader = await connect();
  expect(reader.status).toBe(200);
  expect(reader.response.headers.get("content-type")).toBe("text/event-stream");
  const ready = await reader.next();
  expect(ready.event).toBe("ready");
  expect(ready.data).toEqual({ product_id: w.productId, sprint_id: w.sprintId });
  const jobs = await reader.next();
  expect(jobs).toMatchObject({ event: "jobs", data: { jobs: [] } });
  const workers = await reader.next();
  expect(workers).toMatchObject({ event: "workers", data: { count: 0 } });
  expect(soloReadySchema.safeParse(ready.data).success).toBe(true);
  expect(soloJobsSchema.safeParse(jobs.data).success).toBe(true);
  expect(soloWorkersSchema.safeParse(workers.data).success).toBe(true);
});

it("The solo stream begins with sprint_id null while no sprint is active", async () => {
  await update("sprints", w.sprintId, "status = 'COMPLETED'");
  const reader = await connect();
  expect((await reader.next()).data).toEqual({ product_id: w.productId, sprint_id: null });
});

it("The solo stream opens for a session cookie as well as a token, and for demo accounts", async () => {
  await t.query`update public.users set is_demo = true where id = ${w.member.id}`;
  const reader = await connect(w.member, { cookie: await app.signIn(w.member) });
  expect(await reader.next()).toMatchObject({ event: "ready" });
});

it("The solo stream carries inserts, updates and deletions of my tasks with the contract's fields", async () => {
  const reader = await connectLive();
  const taskId = await createTask(t, w.storyId, "Weave");
  const common = {
    entity: "task",
    id: taskId,
    story_id: w.storyId,
    product_id: w.productId,
    sprint_id: w.sprintId,
    assignee_id: w.member.id,
    task_sort_order: 2,
  };
  const inserted = await reader.next();
  expect(inserted.event).toBe("message");
  expect(inserted.data).toEqual({ op: "I", ...common, task_status: "TO_DO", task_title: "Weave" });

  for (const status of ["IN_PROGRESS", "REVIEW", "FAILED", "TO_DO"]) {
    await update("tasks", taskId, "status = $1", [status]);
    const updated = await reader.nextWhere(({ data }) => data.entity === "task");
    expect(updated.data).toMatchObject({ op: "U", ...common, task_status: status, changed_fields: ["status"] });
  }

  await t.query`delete from public.tasks where id = ${taskId}`;
  const deleted = await reader.nextWhere(({ data }) => data.entity === "task");
  expect(deleted.data).toMatchObject({ op: "D", ...common });
  expect(deleted.data).not.toHaveProperty("changed_fields");
});

it("The solo stream carries my stories, and unassigned stories with assignee_id null", async () => {
  const reader = await connectLive();
  await update("stories", w.storyId, "title = 'Cloth'");
  const mine = await reader.next();
  expect(mine.data).toEqual({
    op: "U",
    entity: "story",
    id: w.storyId,
    product_id: w.productId,
    sprint_id: w.sprintId,
    assignee_id: w.member.id,
    story_status: "IN_SPRINT",
    story_sort_order: 1,
    story_title: "Cloth",
    story_code: "ST-001",
    changed_fields: ["title"],
  });

  const free = await createStory(t, { ...w, assigneeId: null });
  expect((await reader.next()).data).toMatchObject({ op: "I", id: free, assignee_id: null });
});

it("The solo stream carries only changes of its product, active sprint and assignee", async () => {
  const other = await createWorld(t);
  const planned = await createSprint(t, w.productId);
  const reader = await connectLive();

  await createTask(t, other.storyId, "another product");
  const later = await createStory(t, { ...w, sprintId: planned, assigneeId: w.member.id });
  await createTask(t, later, "another sprint");
  const theirs = await createStory(t, { ...w, assigneeId: w.owner.id });
  await createTask(t, theirs, "another assignee");
  const free = await createStory(t, { ...w, assigneeId: null, title: "free" });
  await createTask(t, free, "task of a story awaiting assignment");
  const mine = await createTask(t, w.storyId, "mine");

  expect((await reader.next()).data).toMatchObject({ entity: "story", id: free });
  expect((await reader.next()).data).toMatchObject({ entity: "task", id: mine });
});

it("The solo stream keeps line breaks and look-alike messages inside one event (S10)", async () => {
  const title = "a\nb\r\n\ndata: {}\n\nevent: ready\u2028\u2029 “x”\\";
  const reader = await connectLive();
  await update("tasks", w.taskId, "title = $1", [title]);
  const { data } = await reader.next();
  expect(data).toMatchObject({ id: w.taskId, task_title: title });
  await update("tasks", w.taskId, "title = 'next'");
  expect((await reader.next()).data).toMatchObject({ task_title: "next" });
});

it("The solo stream carries the product's workers, and its events have ids", async () => {
  const reader = await connectLive();
  const rows = await t.query`insert into agent_workers (user_id, name) values (${w.member.id}, 'loom-1') returning id`;
  const worker = await reader.next();
  expect(worker.id).not.toBeNull();
  expect(worker.data).toMatchObject({
    op: "I",
    entity: "worker",
    id: rows[0].id,
    product_id: w.productId,
    name: "loom-1",
    last_quota_pct: null,
    current_job_id: null,
    stopped: false,
  });
});

describe("what the filter follows (S2)", () => {
  it("Another active sprint brings a new ready on the solo stream, and its changes from then on", async () => {
    const next = await createSprint(t, w.productId);
    const story = await createStory(t, { ...w, sprintId: next, assigneeId: w.member.id });
    const reader = await connectLive();
    await update("sprints", w.sprintId, "status = 'COMPLETED'");
    await update("sprints", next, "status = 'ACTIVE'");
    await reader.nextWhere(({ event, data }) => event === "ready" && data.sprint_id === next);
    const taskId = await createTask(t, story);
    expect((await reader.nextChange()).data).toMatchObject({ entity: "task", id: taskId });
  });

  it("A story given to me comes on the solo stream with a new ready, and its tasks from then on", async () => {
    const story = await createStory(t, { ...w, assigneeId: w.owner.id });
    const task = await createTask(t, story);
    const reader = await connectLive();
    await update("stories", story, "assignee_id = $1", [w.member.id]);
    expect((await reader.next()).data).toMatchObject({ id: story, assignee_id: w.member.id });
    expect(await reader.next()).toMatchObject({ event: "ready" });
    await update("tasks", task, "title = 'seen'");
    expect((await reader.nextChange()).data).toMatchObject({ id: task, task_title: "seen" });
  });

  it("A story taken from me brings a new ready on the solo stream and none of its changes", async () => {
    const reader = await connectLive();
    await update("stories", w.storyId, "assignee_id = $1", [w.owner.id]);
    expect(await reader.next()).toMatchObject({ event: "ready" });
    await update("tasks", w.taskId, "title = 'hidden'");
    const mine = await createStory(t, { ...w, assigneeId: w.member.id });
    expect((await reader.nextChange()).data).toMatchObject({ entity: "story", id: mine });
  });

  it("A task moved out of my story brings a new ready on the solo stream", async () => {
    const theirs = await createStory(t, { ...w, assigneeId: w.owner.id });
    const reader = await connectLive();
    await update("tasks", w.taskId, "story_id = $1", [theirs]);
    await reader.nextNamed("ready");
  });
});

it("Refusals of the solo stream come in the order 401, 400, 404, 403", async () => {
  const headers = await t.bearerOf(w.member);
  expect((await app.request(path)).status).toBe(401);
  expect((await app.request(path, { headers: bearer("blm_wrong") })).status).toBe(401);
  expect((await app.request(path, { headers })).status).toBe(400);
  expect((await app.request(`${path}?product_id=x`, { headers })).status).toBe(404);
  expect((await app.request(`${path}?product_id=${randomUUID()}`, { headers })).status).toBe(404);
  const foreign = await createWorld(t);
  const query = `?product_id=${foreign.productId}`;
  expect((await app.request(path + query, { headers })).status).toBe(403);
});
