import { expect, it } from "vitest";
import { openBacklog } from "../setup/app";
import { expectRefusal } from "../setup/endpoint-checks";
import { bearer } from "../setup/world";

const { t, app, owner, token, backlog } = await openBacklog();
const path = (id: string) => `/api/tasks/${id}`;
const unknownId = "00000000-0000-4000-8000-000000000000";

const read = async (id: string) => (await app.request(path(id), { headers: bearer(token) })).json();
const patch = (body: unknown, id = backlog.task.id, headers = bearer(token)) =>
  app.send("PATCH", path(id), body, headers);

it("GET /api/tasks/:id returns the backlog task with the detail fields", async () => {
  expect(await read(backlog.task.id)).toEqual({
    id: backlog.task.id,
    story_id: backlog.story.id,
    product_id: backlog.product.id,
    code: "T-1",
    title: "Write rows",
    description: "One line a row.",
    priority: 3,
    sort_order: 1,
    status: "todo",
    repo_url: null,
    verify_only: false,
    verify_required: "ALIGNED_OR_PARTIAL",
    created_at: expect.stringMatching(/Z$/),
    _detail: true,
    implementation_plan: "1. Quote\n2. Write",
    acceptance_criteria: "- [ ] Opens in a spreadsheet",
    requires_opus: false,
    agent: null,
    model: null,
    effort: null,
    estimated_minutes: null,
    version: 1,
  });
});

it.each(["in_progress", "done", "todo"])("PATCH /api/tasks/:id moves the task to %s", async (status) => {
  const response = await patch({ status });
  expect(response.status).toBe(200);
  expect(await response.json()).toEqual({ id: backlog.task.id, status, implementation_plan: "1. Quote\n2. Write" });
  expect(await read(backlog.task.id)).toMatchObject({ status });
});

it("A task can be moved out of review and out of failed", async () => {
  for (const status of ["REVIEW", "FAILED"]) {
    await t.query`update tasks set status = ${status}::task_status where id = ${backlog.task.id}`;
    expect((await patch({ status: "todo" })).status).toBe(200);
  }
});

it("A task's plan is stored exactly as sent, with the verify fields next to it", async () => {
  const plan = "  1. \u202Eא 😀\r\n\t<b>\\ \"'%_\u2028  ";
  const body = { implementation_plan: plan, verify_only: true, verify_required: "ANY" };
  expect(await (await patch(body)).json()).toMatchObject({ implementation_plan: plan });
  expect(await read(backlog.task.id)).toMatchObject({
    implementation_plan: plan,
    verify_only: true,
    verify_required: "ANY",
  });
  expect(await (await patch({ implementation_plan: "" })).json()).toMatchObject({ implementation_plan: "" });
});

it("A change of a task may have labels alone, but not labels with verify fields alone", async () => {
  expect((await patch({ labels: [] })).status).toBe(200);
  expect((await patch({ labels: [], verify_only: false })).status).toBe(422);
  expect((await patch({ status: "todo", labels: [], verify_only: false })).status).toBe(200);
});

it("50 parallel updates of a task's status and plan lose neither of them", async () => {
  const updates = Array.from({ length: 50 }, (_, n) =>
    patch(n % 2 === 0 ? { status: "done" } : { implementation_plan: "the one plan" }),
  );
  const statuses = (await Promise.all(updates)).map(({ status }) => status);
  expect(new Set(statuses)).toEqual(new Set([200]));
  expect(await read(backlog.task.id)).toMatchObject({ status: "done", implementation_plan: "the one plan" });
});

it.each([
  ["no field", {}],
  ["only verify_only", { verify_only: true }],
  ["only verify_required", { verify_required: "ANY" }],
  ["review", { status: "review" }],
  ["failed", { status: "failed" }],
  ["an unknown status", { status: "blocked" }],
  ["the database form", { status: "TO_DO" }],
  ["a number as status", { status: 1 }],
  ["null as status", { status: null }],
  ["null as plan", { implementation_plan: null }],
  ["a number as plan", { implementation_plan: 1 }],
  ["a plan of 100,001 characters", { implementation_plan: "x".repeat(100_001) }],
  ["a text as boolean", { status: "todo", verify_only: "true" }],
  ["an unknown requirement", { status: "todo", verify_required: "NONE" }],
  ["a list", []],
  ["null", null],
  ["a text", '"x"'],
  ["a number", "1"],
])("PATCH /api/tasks/:id answers 422 to %s and changes nothing", async (_, body) => {
  const before = await read(backlog.task.id);
  await expectRefusal(await patch(body), 422);
  expect(await read(backlog.task.id)).toEqual(before);
});

it("A12: NUL and lone surrogates in a plan get 422, with the place", async () => {
  for (const text of ['"a\\u0000b"', '"\\ud800"']) {
    const response = await patch(`{"implementation_plan":${text}}`);
    expect(response.status).toBe(422);
    expect((await response.json()).issues).toEqual([expect.objectContaining({ path: "implementation_plan" })]);
  }
});

it.each(["", "{", '{"status":}', "{'status':'todo'}", '{"status":"todo"}x', "\uFEFF{}"])(
  "PATCH /api/tasks/:id answers 400 to malformed JSON: %j",
  async (body) => {
    await expectRefusal(await patch(body), 400);
  },
);

it("A13: Unknown keys in a change of a task are ignored and never written", async () => {
  const before = await read(backlog.task.id);
  const body = {
    status: "todo",
    id: unknownId,
    product_id: unknownId,
    story_id: unknownId,
    sort_order: 99,
    user_id: owner.id,
    title: "taken over",
    constructor: { prototype: { polluted: 1 } },
  };
  expect((await patch(body)).status).toBe(200);
  expect(await read(backlog.task.id)).toEqual({ ...before, status: "todo", version: before.version + 1 });
  expect({}).not.toHaveProperty("polluted");
});

it("A11: A body of more than 1 MiB gets 413, announced or not", async () => {
  const big = JSON.stringify({ implementation_plan: "x".repeat(1_048_576) });
  await expectRefusal(await patch(big), 413);
  const chunked = new ReadableStream({
    start(controller) {
      for (let n = 0; n < 20; n += 1) controller.enqueue(new Uint8Array(65_536).fill(32));
      controller.close();
    },
  });
  const init: RequestInit & { duplex: "half" } = {
    method: "PATCH",
    headers: bearer(token),
    body: chunked,
    duplex: "half",
  };
  await expectRefusal(await app.request(path(backlog.task.id), init), 413);
});

it("A change of a task is checked in the agreed order: 401, 413, 400, 422, 404, 403", async () => {
  const stranger = await t.bearerOf(await t.createUser());
  const big = "x".repeat(1_100_000);
  await expectRefusal(await patch(big, unknownId, bearer("blm_unknown")), 401);
  await expectRefusal(await patch("{", unknownId, bearer("blm_unknown")), 401);
  await expectRefusal(await patch({}, "abc", bearer("blm_unknown")), 401);
  await expectRefusal(await patch(big, "abc"), 413);
  await expectRefusal(await patch("{", "abc"), 400);
  await expectRefusal(await patch({}, "abc"), 422);
  await expectRefusal(await patch({ status: "todo" }, "abc"), 404);
  await expectRefusal(await patch({ status: "todo" }, backlog.task.id, stranger), 403);
});
