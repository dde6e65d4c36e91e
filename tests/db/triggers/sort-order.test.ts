import { expect, it } from "vitest";
import { getBacklog } from "~/nouns/products/operations.server";
import { createSprint } from "~/nouns/sprints/operations.server";
import {
  addStoryToSprint,
  createStory,
  getStory,
  listStoryTasks,
  removeStoryFromSprint,
  updateStory,
} from "~/nouns/stories/operations.server";
import { createTask, editTask, moveTask, setTaskStatus } from "~/nouns/tasks/operations.server";
import { createTestDatabase } from "../../setup/database";
import { at } from "../../setup/world";

const t = await createTestDatabase();

it("The sort_order of stories and tasks is set at creation and whenever the code is edited", async () => {
  const { actor, story, tasks } = await t.seedWorld(1);
  expect([story.sort_order, at(tasks, 0).sort_order]).toEqual([1, 1]);
  expect((await updateStory(actor, { story_id: story.id, code: "ST-500" })).sort_order).toBe(500);
  expect((await updateStory(actor, { story_id: story.id, code: "last" })).sort_order).toBe(9007199254740991);
  expect((await editTask(actor, { task_id: at(tasks, 0).id, code: "T-77" })).sort_order).toBe(77);
});

it("The sort_order of stories and tasks survives a change of sprint, story, status, priority, or title", async () => {
  const { actor, product, pbi, story, tasks } = await t.seedWorld(1);
  const sprint = await createSprint(actor, { product_id: product.id });
  const before = await getStory(actor, { story_id: story.id });
  await addStoryToSprint(actor, { sprint_id: sprint.id, story_id: story.id });
  const inSprint = await getStory(actor, { story_id: story.id });
  const { status, version } = before;
  expect({ ...inSprint, sprint_id: null, sprint: null, status, version }).toEqual(before);
  await removeStoryFromSprint(actor, { story_id: story.id });
  expect({ ...(await getStory(actor, { story_id: story.id })), version }).toEqual(before);

  const other = await createStory(actor, { pbi_id: pbi.id, title: "Other" });
  const task_id = at(tasks, 0).id;
  const moved = await moveTask(actor, { task_id, story_id: other.id });
  expect([moved.code, moved.sort_order]).toEqual(["T-1", 1]);
  await setTaskStatus(actor, { task_id, status: "review" });
  expect((await editTask(actor, { task_id, priority: 0, title: "New" })).sort_order).toBe(1);
});

it("The sort_order of stories and tasks is put back when someone writes it past the operations", async () => {
  const { story, tasks } = await t.seedWorld(1);
  await t.query`update public.tasks set sort_order = 99 where id = ${at(tasks, 0).id}`;
  await t.query`update public.stories set sort_order = 99 where id = ${story.id}`;
  const rows = await t.query`select sort_order::int as n from public.tasks
      where id = ${at(tasks, 0).id} union all select sort_order::int from public.stories
      where id = ${story.id}`;
  expect(rows).toEqual([{ n: 1 }, { n: 1 }]);
});

it("Stories and tasks are listed by sort_order, with age for ties, and priority plays no part", async () => {
  const { actor, pbi, product, story } = await t.seedWorld(0);
  for (const [code, priority] of [
    ["T-10", 0],
    ["x", 0],
    ["A-2", 9],
    ["B-2", 1],
    ["T-1", 5],
  ] as const) {
    await createTask(actor, { story_id: story.id, title: code, code, priority });
  }
  const tasks = await listStoryTasks(actor, { story_id: story.id });
  expect(tasks.map(({ code }) => code)).toEqual(["T-1", "A-2", "B-2", "T-10", "x"]);
  for (const code of ["ST-900", "ST-2", "ST-90"]) {
    await createStory(actor, { pbi_id: pbi.id, title: code, code, priority: code.length });
  }
  const backlog = await getBacklog(actor, { product_id: product.id });
  expect(backlog.storiesByPbi[pbi.id]?.map(({ code }) => code)).toEqual(["ST-001", "ST-2", "ST-90", "ST-900"]);
  expect(backlog.tasksByStory[story.id]?.map(({ code }) => code)).toEqual(["T-1", "A-2", "B-2", "T-10", "x"]);
});
