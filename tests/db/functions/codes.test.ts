import fc from "fast-check";
import { expect, it } from "vitest";
import { createIdea } from "~/nouns/ideas/operations.server";
import { createPbi } from "~/nouns/pbis/operations.server";
import { createSprint } from "~/nouns/sprints/operations.server";
import { createStory } from "~/nouns/stories/operations.server";
import { createTask, editTask } from "~/nouns/tasks/operations.server";
import { createTestDatabase } from "../../setup/database";
import { refusalOf, statusOf } from "../refusal";

const t = await createTestDatabase();
const ada = await t.createUser({ username: "ada" });
const bea = await t.createUser({ username: "bea" });
const actor = t.actorOf(ada);

async function seedStory() {
  const product = await t.seedProduct(await ownerOfItsOwn());
  const pbi = await createPbi(actor, { product_id: product.id, title: "PBI" });
  const story = await createStory(actor, { pbi_id: pbi.id, title: "Story" });
  return { product, pbi, story };
}

/** Products are limited to five a minute and user; counters start again for each product. */
async function ownerOfItsOwn() {
  await t.query`delete from public.rate_limit_counters`;
  return ada;
}

it("Generated codes are PBI-1, ST-001, T-1, SP-1, and IDEA-001, each kind with its own sequence", async () => {
  const { product, pbi, story } = await seedStory();
  const task = await createTask(actor, { story_id: story.id, title: "Task" });
  const second = await createTask(actor, { story_id: story.id, title: "Task" });
  const sprint = await createSprint(actor, { product_id: product.id });
  const idea = await createIdea(actor, { product_id: product.id, title: "Idea" });
  expect([pbi.code, story.code, task.code, second.code, sprint.code, idea.code]).toEqual(
    "PBI-1 ST-001 T-1 T-2 SP-1 IDEA-001".split(" "),
  );
});

it("Generated codes start again in another product, but those of ideas run on per user", async () => {
  const first = await seedStory();
  const other = await seedStory();
  expect([first.story.code, other.story.code]).toEqual(["ST-001", "ST-001"]);
  const ideas = [
    await createIdea(actor, { product_id: first.product.id, title: "a" }),
    await createIdea(actor, { product_id: other.product.id, title: "b" }),
  ];
  const [one, two] = ideas.map(({ code }) => Number(code.slice(5)));
  expect(two).toBe((one ?? 0) + 1);
});

it("Generated codes skip the numbers that supplied codes have taken, and do not go back", async () => {
  const { story } = await seedStory();
  await createTask(actor, { story_id: story.id, title: "Task", code: "T-1" });
  await createTask(actor, { story_id: story.id, title: "Task", code: "T-2" });
  const generated = await createTask(actor, { story_id: story.id, title: "Task" });
  const next = await createTask(actor, { story_id: story.id, title: "Task" });
  expect([generated.code, next.code]).toEqual(["T-3", "T-4"]);
});

it("A supplied code in use in the same kind and product is refused with 422, and nothing is written", async () => {
  const { story } = await seedStory();
  await createTask(actor, { story_id: story.id, title: "Task", code: "API.v2_x" });
  const refusal = await refusalOf(createTask(actor, { story_id: story.id, title: "Again", code: "API.v2_x" }));
  expect(refusal.status).toBe(422);
  expect(refusal.issues).toEqual([{ path: "code", message: "This code is already in use." }]);
  const rows = await t.query`select title from public.tasks where story_id = ${story.id}`;
  expect(rows).toEqual([{ title: "Task" }]);
});

it("The same code may be on a PBI, a story, and a task of one product, and in another product", async () => {
  const here = await seedStory();
  const there = await seedStory();
  const pbi = await createPbi(actor, { product_id: here.product.id, title: "x", code: "X-9" });
  const story = await createStory(actor, { pbi_id: pbi.id, title: "x", code: "X-9" });
  const task = await createTask(actor, { story_id: story.id, title: "x", code: "X-9" });
  const elsewhere = await createTask(actor, { story_id: there.story.id, title: "x", code: "X-9" });
  expect(new Set([pbi.code, story.code, task.code, elsewhere.code])).toEqual(new Set(["X-9"]));
});

it.each(["", "a b", "ä", "A/B", "T-1\n", "x".repeat(31)])("A supplied code %j is refused (J14)", async (code) => {
  const { story } = await seedStory();
  expect(await statusOf(createTask(actor, { story_id: story.id, title: "x", code }))).toBe(422);
});

it.each(["ST-", "..", "x".repeat(30), "st-1"])("A supplied code %j is taken as it is (J14)", async (code) => {
  const { story } = await seedStory();
  expect((await createTask(actor, { story_id: story.id, title: "x", code })).code).toBe(code);
});

it("A code may be edited to what it is, but not to one in use", async () => {
  const { story } = await seedStory();
  const first = await createTask(actor, { story_id: story.id, title: "x", code: "A-1" });
  const second = await createTask(actor, { story_id: story.id, title: "x", code: "A-2" });
  expect((await editTask(actor, { task_id: first.id, code: "A-1" })).code).toBe("A-1");
  expect(await statusOf(editTask(actor, { task_id: second.id, code: "A-1" }))).toBe(422);
});

it("Codes of ideas are counted per user: another user's first idea is IDEA-001 too", async () => {
  await ownerOfItsOwn();
  const product = await t.seedProduct(bea);
  const idea = await createIdea(t.actorOf(bea), { product_id: product.id, title: "Mine" });
  expect(idea.code).toBe("IDEA-001");
});

it.each([
  ["ST-007", 7],
  ["T-42", 42],
  ["ST-000", 0],
  ["v2", 2],
  ["2024.11", 11],
  ["no-tail", 9007199254740991],
  ["T-9007199254740991", 9007199254740991],
  ["T-9007199254740992", 9007199254740991],
  ["9".repeat(30), 9007199254740991],
  ["7-x", 9007199254740991],
])("The sort order of the code %s is %d", async (code, expected) => {
  const rows = await t.query`select private.sort_order_from_code(${code})::text as n`;
  expect(Number(rows[0]?.n)).toBe(expected);
});

it("The sort order of any code is the number at its end, up to the largest", async () => {
  const codes = fc.sample(fc.stringMatching(/^[A-Za-z0-9._-]{1,30}$/), 500);
  const rows = await t.query`select private.sort_order_from_code(c)::text as n
      from unnest(${codes}::text[]) with ordinality as u (c, o) order by o`;
  const largest = 9007199254740991;
  const numbers = codes.map((code) => /[0-9]+$/.exec(code)?.[0] ?? largest);
  expect(rows.map(({ n }) => Number(n))).toEqual(numbers.map((number) => Math.min(Number(number), largest)));
});
