import { expect, it } from "vitest";
import type { Actor } from "~/db/rpc.server";
import { getBacklogTree, getDashboard, getShell, getSoloBoard, getSprintBoard } from "~/nouns/pages/operations.server";
import { createPbi } from "~/nouns/pbis/operations.server";
import { createProduct } from "~/nouns/products/operations.server";
import { askQuestion } from "~/nouns/questions/operations.server";
import { startSprintRun } from "~/nouns/sprint-runs/operations.server";
import { createSprint, startSprint } from "~/nouns/sprints/operations.server";
import { assignStory, createStory } from "~/nouns/stories/operations.server";
import { createTask, setTaskStatus, updateTask } from "~/nouns/tasks/operations.server";
import { exportDocumentSchema, exportFormat, exportVersion } from "~/nouns/transfers/export-document";
import { importDocument } from "~/nouns/transfers/import-document.server";
import { createTestDatabase } from "../setup/database";

const t = await createTestDatabase();
const owner = await t.createUser({ username: "owner" });
const member = await t.createUser({ username: "member" });
const stranger = t.actorOf(await t.createUser({ username: "stranger" }));
const ada = t.actorOf(owner);

const product = await createProduct(ada, { code: "LOOM", name: "Loom" });
await t.addMember(product.id, member);
const pbi = await createPbi(ada, { product_id: product.id, title: "Greet" });
const sprint = await createSprint(ada, { product_id: product.id, sprint_goal: "Hello" });
const story = await createStory(ada, { pbi_id: pbi.id, title: "See it", sprint_id: sprint.id });
const task = await createTask(ada, { story_id: story.id, title: "Write it" });
await startSprint(ada, { sprint_id: sprint.id });
await askQuestion(ada, { task_id: task.id, question: "Which words?" });

it("Open questions count in the frame for those who can answer them, and on the task's card", async () => {
  expect((await getShell(ada, { active_product_id: product.id })).inbox).toBe(1);
  expect((await getShell(stranger, { active_product_id: product.id })).inbox).toBe(0);
  const { tasks } = await getSprintBoard(ada, { sprint_id: sprint.id });
  expect(tasks.map(({ code, open_questions }) => [code, open_questions])).toEqual([["T-1", 1]]);
});

it("A sprint board checks blockers and forecasts a run only where one could begin, and only when asked", async () => {
  const other = await createProduct(ada, { code: "RUN", name: "Runs" });
  const { id: pbi_id } = await createPbi(ada, { product_id: other.id, title: "Greet" });
  const { id: sprint_id } = await createSprint(ada, { product_id: other.id, sprint_goal: "Go" });
  const { id: story_id } = await createStory(ada, { pbi_id, title: "See it", sprint_id });
  const { id: task_id } = await createTask(ada, { story_id, title: "Write it" });
  const read = async () => {
    const { preflight, forecast } = await getSprintBoard(ada, { sprint_id });
    return { ready: preflight?.ready ?? null, tasks: forecast?.tasks ?? null };
  };
  expect(await read()).toEqual({ ready: null, tasks: null });
  await startSprint(ada, { sprint_id });
  expect(await read()).toEqual({ ready: false, tasks: null });
  expect((await getSprintBoard(ada, { sprint_id, with_start: false })).preflight).toBeNull();
  await updateTask(ada, { task_id, implementation_plan: "Write it." });
  expect(await read()).toEqual({ ready: true, tasks: 1 });
  await startSprintRun(ada, { sprint_id });
  expect(await read()).toEqual({ ready: null, tasks: null });
});

it("The dashboard gathers the reviews and questions that wait for a person", async () => {
  await setTaskStatus(ada, { task_id: task.id, status: "review" });
  const seen = await getDashboard(t.actorOf(member));
  expect(seen.reviews.map(({ code }) => code)).toEqual(["T-1"]);
  expect(seen.questions.map(({ question }) => question)).toEqual(["Which words?"]);
  expect(seen.products.map(({ name, is_owner }) => [name, is_owner])).toEqual([["Loom", false]]);
  expect((await getDashboard(stranger)).products).toEqual([]);
});

it("The dashboard counts as done today what was finished today, not what an import brought", async () => {
  const carl = await t.createUser();
  const tasks = [
    { title: "Done elsewhere, long ago", status: "DONE" },
    { title: "Not done yet", status: "TO_DO" },
  ];
  const document = exportDocumentSchema.parse({
    format: exportFormat,
    version: exportVersion,
    product: { code: "MOVED", name: "Moved" },
    pbis: [{ title: "Move", stories: [{ title: "Pack", tasks }] }],
  });
  const { id: product_id } = await importDocument(t.database, carl.id, document);
  const done = async () => (await getDashboard(t.actorOf(carl))).done_today;
  expect(await done()).toBe(0);
  const { tasks: rows } = await getBacklogTree(t.actorOf(carl), { product_id });
  const open = rows.find(({ status }) => status !== "done");
  await setTaskStatus(t.actorOf(carl), { task_id: String(open?.id), status: "done" });
  expect(await done()).toBe(1);
});

it("The solo board shows one's own stories and those that no one took", async () => {
  const codes = async (actor: Actor) =>
    (await getSoloBoard(actor, { product_id: product.id })).stories.map(({ code }) => code);
  expect(await codes(t.actorOf(member))).toEqual(["ST-001"]);
  await assignStory(ada, { story_id: story.id, assignee_id: owner.id });
  expect(await codes(t.actorOf(member))).toEqual([]);
  expect(await codes(ada)).toEqual(["ST-001"]);
});
