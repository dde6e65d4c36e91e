import { expect, it } from "vitest";
import {
  cancelSprint,
  completeSprint,
  createSprint,
  getSprint,
  getSprintContext,
  listSprints,
  startSprint,
  updateSprint,
} from "~/nouns/sprints/operations.server";
import { addStoryToSprint, createStory, getStory } from "~/nouns/stories/operations.server";
import { setTaskStatus } from "~/nouns/tasks/operations.server";
import { createTestDatabase } from "../../setup/database";
import { at } from "../../setup/world";
import { refusalOf, statusOf } from "../refusal";

const t = await createTestDatabase();

it("A new sprint takes all of its stories along or is not created", async () => {
  const { actor, product, pbi, story } = await t.seedWorld(0);
  const product_id = product.id;
  const second = await createStory(actor, { pbi_id: pbi.id, title: "Second" });
  const story_ids = [story.id, second.id];
  const { id } = await createSprint(actor, { product_id, story_ids });
  const { stories } = await getSprint(actor, { sprint_id: id });
  expect(stories.map((one) => one.id)).toEqual(story_ids);

  const foreign = await t.seedWorld(0);
  const mixed = { product_id, story_ids: [story.id, foreign.story.id] };
  expect(await statusOf(createSprint(actor, mixed))).toBe(403);
  expect(await listSprints(actor, { product_id })).toHaveLength(1);
});

it("Sprints are numbered per product, and no sprint ends before the day on which it starts", async () => {
  const { actor, product } = await t.seedWorld(0);
  const product_id = product.id;
  const sprint = await createSprint(actor, { product_id, start_date: "2026-02-28", end_date: "2026-02-28" });
  expect(sprint).toEqual({
    id: sprint.id,
    product_id,
    code: "SP-1",
    sprint_goal: "",
    status: "planned",
    start_date: "2026-02-28",
    end_date: "2026-02-28",
    started_at: null,
    completed_at: null,
    created_at: sprint.created_at,
    version: 1,
  });
  const refusal = await refusalOf(
    createSprint(actor, { product_id, start_date: "2026-03-01", end_date: "2026-02-28" }),
  );
  expect([refusal.status, refusal.issues?.[0]?.path]).toEqual([422, "end_date"]);
  const sprint_id = sprint.id;
  expect(await statusOf(updateSprint(actor, { sprint_id, start_date: "2026-03-01" }))).toBe(422);
  const changed = { ...sprint, start_date: null, sprint_goal: "Goal", version: 2 };
  expect(await updateSprint(actor, { sprint_id, start_date: null, sprint_goal: "Goal" })).toEqual(changed);
  expect((await createSprint(actor, { product_id })).code).toBe("SP-2");
});

it("A sprint goes from planned to active to completed, and only one of a product is active", async () => {
  const { actor, product } = await t.seedWorld(0);
  const first = await createSprint(actor, { product_id: product.id });
  const second = await createSprint(actor, { product_id: product.id });
  const sprint_id = first.id;
  expect(await statusOf(completeSprint(actor, { sprint_id }))).toBe(409);
  expect((await startSprint(actor, { sprint_id })).status).toBe("active");
  expect(await statusOf(startSprint(actor, { sprint_id }))).toBe(409);
  expect(await statusOf(startSprint(actor, { sprint_id: second.id }))).toBe(409);
  expect(await statusOf(cancelSprint(actor, { sprint_id }))).toBe(409);
  expect((await completeSprint(actor, { sprint_id })).status).toBe("completed");
  expect((await startSprint(actor, { sprint_id: second.id })).status).toBe("active");
  expect(await statusOf(updateSprint(actor, { sprint_id, sprint_goal: "x" }))).toBe(409);
});

it("What a sprint leaves unfinished moves to the next planned sprint if asked, or to a new one", async () => {
  const { actor, product, story } = await t.seedWorld(1);
  const [first, second] = [
    await createSprint(actor, { product_id: product.id }),
    await createSprint(actor, { product_id: product.id }),
  ];
  await addStoryToSprint(actor, { sprint_id: first.id, story_id: story.id });
  const ends = async ({ id: sprint_id }: { id: string }) => {
    await startSprint(actor, { sprint_id });
    await completeSprint(actor, { sprint_id, carry_over: true });
    return (await getStory(actor, { story_id: story.id })).sprint_id;
  };
  expect(await ends(first)).toBe(second.id);
  const third = await ends(second);
  expect([first.id, second.id, null]).not.toContain(third);
});

it("Only one of several sprints that start at the same moment becomes active", async () => {
  const { actor, product } = await t.seedWorld(0);
  const sprints = [];
  for (let n = 0; n < 5; n++) sprints.push(await createSprint(actor, { product_id: product.id }));
  const outcomes = await Promise.allSettled(sprints.map(({ id }) => startSprint(actor, { sprint_id: id })));
  expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
});

it("A sprint that ends sends unfinished stories back to the backlog and keeps those that are done", async () => {
  const { actor, pbi, product, story, tasks } = await t.seedWorld(1);
  const open = await createStory(actor, { pbi_id: pbi.id, title: "Open" });
  const sprint = await createSprint(actor, { product_id: product.id });
  const sprint_id = sprint.id;
  await addStoryToSprint(actor, { sprint_id, story_id: story.id });
  await addStoryToSprint(actor, { sprint_id, story_id: open.id });
  await startSprint(actor, { sprint_id });
  await setTaskStatus(actor, { task_id: at(tasks, 0).id, status: "done" });
  await completeSprint(actor, { sprint_id });
  expect(await getStory(actor, { story_id: story.id })).toMatchObject({ status: "done", sprint_id });
  expect(await getStory(actor, { story_id: open.id })).toMatchObject({ status: "open", sprint_id: null });

  const planned = await createSprint(actor, { product_id: product.id });
  await addStoryToSprint(actor, { sprint_id: planned.id, story_id: open.id });
  await cancelSprint(actor, { sprint_id: planned.id });
  expect((await getStory(actor, { story_id: open.id })).status).toBe("open");
});

it("Sprints are listed newest first with counts, and their boards are in order", async () => {
  const { actor, product, story, tasks } = await t.seedWorld(2);
  const sprint = await createSprint(actor, { product_id: product.id });
  await createSprint(actor, { product_id: product.id });
  await addStoryToSprint(actor, { sprint_id: sprint.id, story_id: story.id });
  await setTaskStatus(actor, { task_id: at(tasks, 0).id, status: "done" });
  const list = await listSprints(actor, { product_id: product.id });
  expect(
    list.map(({ code, story_count, task_count, done_task_count }) => [code, story_count, task_count, done_task_count]),
  ).toEqual([
    ["SP-2", 0, 0, 0],
    ["SP-1", 1, 2, 1],
  ]);
  const board = await getSprint(actor, { sprint_id: sprint.id });
  expect(board.sprint.code).toBe("SP-1");
  expect(board.stories.map(({ code, pbi_code }) => [code, pbi_code])).toEqual([["ST-001", "PBI-1"]]);
  expect(board.tasks.map(({ code, status, story_code }) => [code, status, story_code])).toEqual([
    ["T-1", "done", "ST-001"],
    ["T-2", "todo", "ST-001"],
  ]);
});

it("The context of a sprint for an agent is cut at a number of stories, with a cursor", async () => {
  const { actor, pbi, product, story } = await t.seedWorld(1);
  const sprint = await createSprint(actor, { product_id: product.id });
  const sprint_id = sprint.id;
  await addStoryToSprint(actor, { sprint_id, story_id: story.id });
  for (const code of ["ST-7", "ST-5", "ST-3"]) {
    const more = await createStory(actor, { pbi_id: pbi.id, title: code, code });
    await addStoryToSprint(actor, { sprint_id, story_id: more.id });
  }
  const first = await getSprintContext(actor, { sprint_id, limit: 3 });
  expect(first.stories.map(({ code, tasks }) => [code, tasks.length])).toEqual([
    ["ST-001", 1],
    ["ST-3", 0],
    ["ST-5", 0],
  ]);
  const rest = await getSprintContext(actor, { sprint_id, limit: 3, cursor: first.next_cursor ?? "" });
  expect(rest.stories.map(({ code }) => code)).toEqual(["ST-7"]);
  expect(rest.next_cursor).toBeNull();
});
