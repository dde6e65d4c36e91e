import { describe, expect, it } from "vitest";
import { openBacklog } from "../setup/app";
import { expectRefusal } from "../setup/endpoint-checks";
import { bearer, create } from "../setup/world";

const { t, app, owner, actor, token, backlog } = await openBacklog();
const foreign = await t.seedBacklog(owner);
const { task, secondTask, story } = backlog;
const secondStory = await create(actor, "create_story", { p_pbi_id: backlog.pbi.id, p_title: "Import" });

type Noun = "tasks" | "stories";
const path = (noun: Noun, id: string, blocker?: string) =>
  `/api/${noun}/${id}/dependencies${blocker === undefined ? "" : `/${blocker}`}`;
const send = (method: string, to: string, body?: unknown, headers = bearer(token)) =>
  app.send(method, to, body, headers);
const read = async (noun: Noun, id: string) => (await send("GET", path(noun, id))).json();

describe.each([
  { noun: "tasks" as const, first: task, second: secondTask, other: foreign.task },
  { noun: "stories" as const, first: story, second: secondStory, other: foreign.story },
])("/api/$noun/:id/dependencies", ({ noun, first, second, other }) => {
  it("A dependency is added by code or id, shown on both sides, and removed", async () => {
    const added = await send("POST", path(noun, first.id), { blocked_by: second.code });
    expect(added.status).toBe(201);
    const end = { id: second.id, code: second.code, resolved: false };
    expect(await added.json()).toEqual({ blocked_by: [expect.objectContaining(end)], blocks: [] });
    expect((await send("POST", path(noun, first.id), { blocked_by: second.id })).status).toBe(201);
    expect(await read(noun, second.id)).toEqual({
      blocked_by: [],
      blocks: [expect.objectContaining({ id: first.id, code: first.code })],
    });

    for (const _ of [1, 2]) {
      const removed = await send("DELETE", path(noun, first.id, second.code));
      expect(removed.status).toBe(204);
      expect(await removed.text()).toBe("");
    }
    expect(await read(noun, first.id)).toEqual({ blocked_by: [], blocks: [] });
    expect((await send("DELETE", path(noun, first.id, "T-999999"))).status).toBe(204);
  });

  it("A dependency on itself, the unknown, another product or no reference is refused with 422", async () => {
    for (const blocked_by of [first.id, first.code, "X-404", other.id, "", "   ", 7, null]) {
      const response = await send("POST", path(noun, first.id), { blocked_by });
      expect(response.status, String(blocked_by)).toBe(422);
      expect((await response.json()).issues[0]).toMatchObject({ path: "blocked_by" });
    }
    expect((await send("POST", path(noun, first.id), {})).status).toBe(422);
    expect(await read(noun, first.id)).toEqual({ blocked_by: [], blocks: [] });
  });

  it("A circle of dependencies is refused with 409 and its path", async () => {
    await send("POST", path(noun, first.id), { blocked_by: second.code });
    const response = await send("POST", path(noun, second.id), { blocked_by: first.code });
    expect(response.status).toBe(409);
    expect(await response.json()).toMatchObject({
      code: 409,
      path: [second.code, first.code, second.code],
      error: expect.stringContaining(`${second.code} → ${first.code} → ${second.code}`),
    });
    await send("DELETE", path(noun, first.id, second.code));
  });
});

it("A change of status answers with the tasks that it freed, and with no such field when none were", async () => {
  await send("POST", path("tasks", secondTask.id), { blocked_by: task.code });
  const move = async (status: string) => (await send("PATCH", `/api/tasks/${task.id}`, { status })).json();
  expect(await move("in_progress")).not.toHaveProperty("released");
  expect(await move("done")).toMatchObject({ status: "done", released: [secondTask.code] });
  expect(await move("todo")).not.toHaveProperty("released");
  await send("DELETE", path("tasks", secondTask.id, task.code));
});

it("A task that waits for another is begun by no agent, and otherwise changes its status freely", async () => {
  await send("POST", path("tasks", secondTask.id), { blocked_by: task.code });
  const move = (status: string) => send("PATCH", `/api/tasks/${secondTask.id}`, { status });
  const refused = await move("in_progress");
  expect(refused.status).toBe(409);
  expect(await refused.json()).toEqual({
    code: 409,
    blocked_by: [task.code],
    error: `${secondTask.code} is blocked by ${task.code}. Finish that first; only a person can start it anyway.`,
  });
  for (const status of ["done", "todo"]) expect((await move(status)).status).toBe(200);
  await send("DELETE", path("tasks", secondTask.id, task.code));
  expect((await move("in_progress")).status).toBe(200);
  await move("todo");
});

it("A user adds at most 120 dependencies a minute", async () => {
  const hasty = await t.createUser();
  const own = await t.seedBacklog(hasty);
  const headers = await t.bearerOf(hasty);
  const add = () => send("POST", path("tasks", own.task.id), { blocked_by: own.secondTask.code }, headers);
  expect((await add()).status).toBe(201);
  // All but one of the others at once: one by one they may take a minute, and then the count begins again.
  await t.query`update public.rate_limit_counters set count = 119 where action = 'dependency' and key = ${hasty.id}`;
  expect((await add()).status).toBe(201);
  const refused = await add();
  expect(refused.status).toBe(429);
  expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
  expect(await refused.json()).toMatchObject({ code: 429 });
});

describe("GET /api/products/:id/ready", () => {
  const ready = async (query = "") => send("GET", `/api/products/${backlog.product.id}/ready${query}`);

  it("The ready list has the tasks that wait for nothing, and which of them an agent could take", async () => {
    await send("POST", path("tasks", task.id), { blocked_by: secondTask.code });
    const waiting = await (await ready()).json();
    expect(waiting).toEqual([
      expect.objectContaining({ id: secondTask.id, status: "todo", blocked_by: [], frees: 1, dispatchable: false }),
    ]);
    await send("PATCH", `/api/tasks/${secondTask.id}`, { status: "done" });
    expect(await (await ready()).json()).toEqual([
      expect.objectContaining({ id: task.id, frees: 0, dispatchable: true }),
    ]);
  });

  it("The ready list counts what a task frees with the tasks of a story that waits for its story", async () => {
    const later = await create(actor, "create_task", { p_story_id: secondStory.id, p_title: "Read a file" });
    await send("POST", path("stories", secondStory.id), { blocked_by: story.code });
    expect(await (await ready()).json()).toEqual([expect.objectContaining({ id: task.id, frees: 1 })]);
    await send("DELETE", path("stories", secondStory.id, story.id));
    expect(await (await ready()).json()).toContainEqual(expect.objectContaining({ id: later.id, frees: 0 }));
  });

  it("The ready list refuses limits out of range and strangers, and accepts a session", async () => {
    for (const query of ["?limit=0", "?limit=201", "?limit=x"]) {
      await expectRefusal(await ready(query), 422);
    }
    const cookie = await app.signIn(owner);
    const to = `/api/products/${backlog.product.id}/ready`;
    expect((await app.request(to, { headers: { cookie } })).status).toBe(200);
    const stranger = await t.bearerOf(await t.createUser());
    await expectRefusal(await send("GET", to, undefined, stranger), 403);
  });
});
