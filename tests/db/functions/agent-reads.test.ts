import { describe, expect, it } from "vitest";
import { getAgentContext, getBacklog, getNextStory } from "~/nouns/products/operations.server";
import { listSprintTasks } from "~/nouns/sprints/operations.server";
import { addStoryToSprint, createStory } from "~/nouns/stories/operations.server";
import { createTask, getTaskDetail, setTaskStatus } from "~/nouns/tasks/operations.server";
import { createTestDatabase } from "../../setup/database";
import { at } from "../../setup/world";
import { statusOf } from "../refusal";

const t = await createTestDatabase();
const unknownId = "00000000-0000-4000-8000-000000000000";

describe("get_next_story", () => {
  it("has exactly the fields of the contract, without a priority", async () => {
    const { actor, product } = await t.seedSprint({ stories: [0] });
    const answer = JSON.parse(await getNextStory.json(actor, { product_id: product.id }));
    expect(Object.keys(answer)).toEqual([
      "id",
      "code",
      "title",
      "description",
      "acceptance_criteria",
      "status",
      "tasks",
    ]);
  });

  it("takes the first story by sort_order that is neither done nor failed, and none gives 404", async () => {
    const { actor, pbi, product, sprint, tasks } = await t.seedSprint({ stories: [1] });
    const product_id = product.id;
    const later = await createStory(actor, {
      pbi_id: pbi.id,
      title: "Later",
      code: "ST-9",
      priority: 0,
    });
    await addStoryToSprint(actor, { sprint_id: sprint.id, story_id: later.id });
    expect((await getNextStory(actor, { product_id })).code).toBe("ST-001");
    await setTaskStatus(actor, { task_id: at(tasks, 0).id, status: "done" });
    expect((await getNextStory(actor, { product_id })).code).toBe("ST-9");
    const task = await createTask(actor, { story_id: later.id, title: "x" });
    await setTaskStatus(actor, { task_id: task.id, status: "failed" });
    expect(await statusOf(getNextStory(actor, { product_id }))).toBe(404);
  });

  it("gives 404 without an active sprint", async () => {
    const { actor, product } = await t.seedWorld(0);
    expect(await statusOf(getNextStory(actor, { product_id: product.id }))).toBe(404);
  });
});

describe("list_sprint_tasks", () => {
  it("orders by the story's, then the task's sort_order, and cuts at the limit", async () => {
    const { actor, pbi, sprint, stories } = await t.seedSprint({ stories: [0] });
    const story = at(stories, 0);
    const early = await createStory(actor, { pbi_id: pbi.id, title: "Early", code: "ST-0" });
    await addStoryToSprint(actor, { sprint_id: sprint.id, story_id: early.id });
    await createTask(actor, { story_id: story.id, title: "c", code: "T-1", priority: 0 });
    await createTask(actor, { story_id: early.id, title: "b", code: "T-9" });
    await createTask(actor, { story_id: early.id, title: "a", code: "T-2", priority: 9 });
    const tasks = await listSprintTasks(actor, { sprint_id: sprint.id });
    expect(tasks.map(({ title, story_code }) => [story_code, title])).toEqual([
      ["ST-0", "a"],
      ["ST-0", "b"],
      ["ST-001", "c"],
    ]);
    expect(await listSprintTasks(actor, { sprint_id: sprint.id, limit: 2 })).toEqual(
      tasks.slice(0, 2),
    );
    expect(Object.keys(at(tasks, 0))).toEqual([
      "id",
      "code",
      "title",
      "description",
      "implementation_plan",
      "story_id",
      "story_code",
      "priority",
      "sort_order",
      "status",
    ]);
  });

  it("has 10 by default, 50 at most, and refuses other limits with 422", async () => {
    const { actor, sprint, stories } = await t.seedSprint({ stories: [0] });
    await t.query`insert into public.tasks (story_id, title) select ${at(stories, 0).id}, 'x'
      from generate_series(1, 60)`;
    expect(await listSprintTasks(actor, { sprint_id: sprint.id })).toHaveLength(10);
    expect(await listSprintTasks(actor, { sprint_id: sprint.id, limit: 50 })).toHaveLength(50);
    expect(await statusOf(listSprintTasks(actor, { sprint_id: sprint.id, limit: 51 }))).toBe(422);
    expect(await statusOf(listSprintTasks(actor, { sprint_id: sprint.id, limit: 0 }))).toBe(422);
  });
});

describe("get_backlog", () => {
  it("has an array for every PBI and every story, and statuses in lower case", async () => {
    const { actor, product, pbi, story, tasks } = await t.seedWorld(1);
    const empty = await createStory(actor, { pbi_id: pbi.id, title: "Empty" });
    const answer = JSON.parse(await getBacklog.json(actor, { product_id: product.id }));
    expect(Object.keys(answer)).toEqual(["product", "pbis", "storiesByPbi", "tasksByStory"]);
    expect(answer.pbis).toEqual([pbi]);
    // Who does it is in the answers about one story or task.
    const who = { agent: null, model: null, effort: null };
    const listed: object = at(answer.storiesByPbi[pbi.id], 0);
    expect({ ...listed, ...who }).toEqual(story);
    expect(answer.storiesByPbi[pbi.id]).toMatchObject([{ id: story.id }, { id: empty.id }]);
    const {
      _detail,
      implementation_plan,
      acceptance_criteria,
      requires_opus,
      estimated_minutes,
      agent,
      model,
      effort,
      ...task
    } = at(tasks, 0);
    expect(answer.tasksByStory).toEqual({ [story.id]: [task], [empty.id]: [] });
    expect([
      _detail,
      implementation_plan,
      acceptance_criteria,
      requires_opus,
      estimated_minutes,
    ]).toEqual([true, null, "", false, null]);
    expect([agent, model, effort]).toEqual([null, null, null]);
  });
});

describe("timestamps", () => {
  it("are ISO 8601 in UTC whatever zone a connection is in", async () => {
    const { tasks } = await t.seedWorld(1);
    const rows = await t.query`select set_config('timezone', 'Asia/Tokyo', true),
      row_to_json(d) as detail from private.task_detail_shape d where d.id = ${at(tasks, 0).id}`;
    const { created_at } = at(tasks, 0);
    expect(rows[0]?.detail.created_at).toBe(created_at);
    expect(new Date(String(created_at)).toISOString()).toBe(created_at);
  });
});

describe("every read of agents", () => {
  it("is 404 for an unknown id and 403 for a foreign one", async () => {
    const { product, sprint, tasks } = await t.seedSprint({ stories: [1] });
    const stranger = t.actorOf(await t.createUser());
    const reads = [
      (id: string) => getAgentContext.json(stranger, { product_id: id }),
      (id: string) => getNextStory.json(stranger, { product_id: id }),
      (id: string) => getBacklog.json(stranger, { product_id: id }),
    ];
    for (const read of reads) {
      expect(await statusOf(read(unknownId))).toBe(404);
      expect(await statusOf(read(product.id))).toBe(403);
    }
    expect(await statusOf(listSprintTasks(stranger, { sprint_id: unknownId }))).toBe(404);
    expect(await statusOf(listSprintTasks(stranger, { sprint_id: sprint.id }))).toBe(403);
    expect(await statusOf(getTaskDetail.json(stranger, { task_id: product.id }))).toBe(404);
    expect(await statusOf(getTaskDetail.json(stranger, { task_id: at(tasks, 0).id }))).toBe(403);
  });
});
