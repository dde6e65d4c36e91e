import { expect, it } from "vitest";
import { openBacklog } from "../setup/app";
import { expectRefusal } from "../setup/endpoint-checks";
import { bearer } from "../setup/world";

const { t, app, token, backlog } = await openBacklog();
const nested = (depth: number): object => ({ a: depth > 1 ? nested(depth - 1) : 1 });
const path = (id: string) => `/api/stories/${id}/log`;
const plan = { type: "IMPLEMENTATION_PLAN", content: "First the rows" };

const post = (body: unknown, headers = bearer(token), id = backlog.story.id) =>
  app.send("POST", path(id), body, headers);

async function stored(id: string, createdAt: string): Promise<Record<string, unknown>> {
  const rows = await t.query<Record<string, unknown>>`
    select type, content, status, commit_hash, commit_message, metadata,
         date_trunc('milliseconds', created_at) = ${createdAt}::timestamptz as is_same_time
    from story_logs where id = ${id}`;
  return rows[0] ?? {};
}

it.each([
  plan,
  { ...plan, metadata: { model: "x", nested: { list: [1, 2.5, true, null] } } },
  { type: "TEST_RESULT", content: "12 passed", status: "PASSED" },
  { type: "TEST_RESULT", content: "1 failed", status: "FAILED", metadata: {} },
  { type: "COMMIT", content: "rows", commit_hash: "abc123", commit_message: "Write rows" },
  { ...plan, metadata: { a: "x".repeat(65_536 - 8) } },
  { ...plan, metadata: nested(32) },
])("A log entry of type $type is stored, and answered 201 with id and created_at", async (body) => {
  const response = await post(body);
  expect(response.status).toBe(201);
  const receipt = await response.json();
  expect(Object.keys(receipt).sort()).toEqual(["created_at", "id"]);
  expect(receipt.created_at).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
  const kept = { is_same_time: true, status: null, commit_hash: null, commit_message: null, metadata: null, ...body };
  expect(await stored(receipt.id, receipt.created_at)).toEqual(kept);
});

it.each([
  ["no type", { content: "x" }],
  ["an unknown type", { type: "NOTE", content: "x" }],
  ["a lower-case type", { type: "commit", content: "x" }],
  ["no content", { type: "IMPLEMENTATION_PLAN" }],
  ["a number as content", { ...plan, content: 1 }],
  ["content of 100,001 characters", { ...plan, content: "x".repeat(100_001) }],
  ["a test result without status", { type: "TEST_RESULT", content: "x" }],
  ["a test result with an unknown status", { type: "TEST_RESULT", content: "x", status: "OK" }],
  ["a test result with a lower-case status", { type: "TEST_RESULT", content: "x", status: "passed" }],
  ["a commit without hash", { type: "COMMIT", content: "x", commit_message: "m" }],
  ["a commit without message", { type: "COMMIT", content: "x", commit_hash: "h" }],
  ["a status on a commit", { type: "COMMIT", content: "x", commit_hash: "h", commit_message: "m", status: "PASSED" }],
  ["a status on a plan", { ...plan, status: "PASSED" }],
  ["null as the status of a plan", { ...plan, status: null }],
  ["a hash on a test result", { type: "TEST_RESULT", content: "x", status: "PASSED", commit_hash: "h" }],
  ["a list as metadata", { ...plan, metadata: [] }],
  ["a text as metadata", { ...plan, metadata: "x" }],
  ["null as metadata", { ...plan, metadata: null }],
  ["a number as metadata", { ...plan, metadata: 1 }],
  ["metadata over 64 KiB", { ...plan, metadata: { x: "y".repeat(65_536 - 7) } }],
  ["metadata 33 levels deep", { ...plan, metadata: nested(33) }],
  ["NUL in a key of metadata", '{"type":"IMPLEMENTATION_PLAN","content":"x","metadata":{"\\u0000":1}}'],
  ["a lone surrogate in metadata", '{"type":"IMPLEMENTATION_PLAN","content":"x","metadata":{"a":["\\ud800"]}}'],
  ["NUL in nested metadata", '{"type":"IMPLEMENTATION_PLAN","content":"x","metadata":{"a":["\\u0000"]}}'],
  ["a list", []],
])("The log of a story answers 422 to %s, and stores nothing", async (_, body) => {
  const before = await t.query`select count(*) from story_logs`;
  await expectRefusal(await post(body), 422);
  expect(await t.query`select count(*) from story_logs`).toEqual(before);
});

it("A log entry of an unknown type is refused with a list of the known ones", async () => {
  const sentence = await expectRefusal(await post({ type: "NOTE", content: "x" }), 422);
  expect(sentence).toContain("must be one of IMPLEMENTATION_PLAN, TEST_RESULT, COMMIT");
});

it("Metadata of a log entry with keys like __proto__ is kept exactly as sent", async () => {
  const metadata = '{"__proto__":{"x":1},"constructor":2,"a.b":{"":[]}}';
  const response = await post(`{"type":"IMPLEMENTATION_PLAN","content":"x","unknown":1,"metadata":${metadata}}`);
  expect(response.status).toBe(201);
  const rows = await t.query<{ same: boolean }>`select metadata = ${metadata}::jsonb as same
      from story_logs where id = ${(await response.json()).id}`;
  expect(rows[0]?.same).toBe(true);
});

it("The log of a story answers 400 to malformed JSON and 413 to more than 1 MiB", async () => {
  await expectRefusal(await post("{"), 400);
  await expectRefusal(await post({ ...plan, content: "x".repeat(1_048_577) }), 413);
});
