import { expect, it } from "vitest";
import { z } from "zod";
import { sprintTasksQuery } from "~/wire/sprints/contract";
import { storyLogBody } from "~/wire/stories/contract";
import { updateTaskBody } from "~/wire/tasks/contract";

function nested(depth: number): unknown {
  let value: unknown = 1;
  for (let level = 0; level < depth; level++) value = { a: value };
  return value;
}

const plan = (metadata: unknown) => storyLogBody.safeParse({ type: "IMPLEMENTATION_PLAN", content: "x", metadata });

it.each([
  { type: "IMPLEMENTATION_PLAN", content: "x", metadata: {} },
  { type: "TEST_RESULT", content: "x", status: "PASSED" },
  { type: "COMMIT", content: "x", commit_hash: "abc", commit_message: "m", unknown: "ignored" },
])("A story log takes the entry %j", (body) => {
  expect(storyLogBody.safeParse(body).success).toBe(true);
});

it.each([
  {},
  { type: "NOTE", content: "x" },
  { type: "COMMIT", content: "x", commit_hash: "abc", commit_message: "m", status: "PASSED" },
  { type: "TEST_RESULT", content: "x", status: "PASSED", commit_hash: "abc" },
  { type: "TEST_RESULT", content: "x", status: "passed" },
  { type: "IMPLEMENTATION_PLAN", content: "x", status: null },
  { type: "IMPLEMENTATION_PLAN", content: "x".repeat(100_001) },
])("A story log refuses a malformed entry (%#)", (body) => {
  expect(storyLogBody.safeParse(body).success).toBe(false);
});

it("A story log entry keeps its metadata exactly as sent, hostile keys included", () => {
  const metadata: unknown = JSON.parse('{"__proto__":{"x":1},"constructor":null,"n":-0.5,"s":"\\u2028"}');
  const body = storyLogBody.parse({ type: "IMPLEMENTATION_PLAN", content: "x", metadata });
  expect(JSON.stringify(body.metadata)).toBe(JSON.stringify(metadata));
  expect(Object.prototype).not.toHaveProperty("x");
});

it("Metadata of a story log entry is limited in kind, depth, size and content, at any depth", () => {
  expect([null, [], "x", 1, true].some((value) => plan(value).success)).toBe(false);
  expect(plan(nested(32)).success).toBe(true);
  expect(plan(nested(33)).success).toBe(false);
  expect(plan(nested(200_000)).success).toBe(false);
  expect(plan({ a: "x".repeat(65_536 - 8) }).success).toBe(true);
  expect(plan({ a: "x".repeat(65_536 - 7) }).success).toBe(false);
  expect(
    [{ a: "\0" }, { "\0": 1 }, { a: ["\uD800"] }, { a: Number.POSITIVE_INFINITY }].some((value) => plan(value).success),
  ).toBe(false);
});

it("The body of a story log entry can be described as a JSON schema", () => {
  expect(JSON.stringify(z.toJSONSchema(storyLogBody, { io: "input" }))).toContain("commit_hash");
});

// Whether a task may be set to review is the product's to say, so the operation refuses it (422).
it("A task update needs a status or a plan, and may not say failed", () => {
  const bodies = [
    {},
    { verify_only: true },
    { verify_required: "ANY" },
    { status: "failed" },
    { status: "DONE" },
    { implementation_plan: null },
    { status: 1 },
    { status: "done", verify_only: "true" },
  ];
  expect(bodies.filter((body) => updateTaskBody.safeParse(body).success)).toEqual([]);
  expect(updateTaskBody.parse({ status: "done", id: "x", sort_order: 1 })).toEqual({ status: "done" });
  expect(updateTaskBody.safeParse({ implementation_plan: "" }).success).toBe(true);
});

it("The limit of sprint tasks is an integer from 1 to 50 in digits", () => {
  const refused = ["0", "-1", "51", "abc", "1e1", "1.5", "+5", " 5", "", "1".repeat(31)];
  expect(refused.filter((limit) => sprintTasksQuery.safeParse({ limit }).success)).toEqual([]);
  expect(["1", "10", "50"].map((limit) => sprintTasksQuery.parse({ limit }).limit)).toEqual([1, 10, 50]);
  expect(sprintTasksQuery.parse({}).limit).toBeUndefined();
});
