import { describe, expect, it } from "vitest";
import { archiveIdea } from "~/domain/ideas/archive-idea.server";
import { createIdea } from "~/domain/ideas/create-idea.server";
import { linkIdeaProduct } from "~/domain/ideas/link-idea-product.server";
import { promoteIdea } from "~/domain/ideas/promote-idea.server";
import { createProduct } from "~/domain/products/create-product.server";
import { getAgentContext, getAgentContextJson } from "~/domain/products/get-agent-context.server";
import { getBacklogJson } from "~/domain/products/get-backlog.server";
import { getNextStory, getNextStoryJson } from "~/domain/products/get-next-story.server";
import { createSprint } from "~/domain/sprints/create-sprint.server";
import { listSprintTasks } from "~/domain/sprints/list-sprint-tasks.server";
import { startSprint } from "~/domain/sprints/start-sprint.server";
import { addStoryToSprint } from "~/domain/stories/add-story-to-sprint.server";
import { createStory } from "~/domain/stories/create-story.server";
import { createTask } from "~/domain/tasks/create-task.server";
import { getTaskDetailJson } from "~/domain/tasks/get-task-detail.server";
import { setTaskStatus } from "~/domain/tasks/set-task-status.server";
import { createTestDatabase } from "../../setup/database";
import { createUser } from "../../setup/users";
import { statusOf } from "../refusal";
import { at, seedWorld } from "../world";

const t = await createTestDatabase();
const unknownId = "00000000-0000-4000-8000-000000000000";

async function seedSprint(taskCount = 2) {
  const world = await seedWorld(t, taskCount);
  const sprint = await createSprint(world.actor, {
    product_id: world.product.id,
    sprint_goal: "Goal",
  });
  await addStoryToSprint(world.actor, { sprint_id: sprint.id, story_id: world.story.id });
  await startSprint(world.actor, { sprint_id: sprint.id });
  return { ...world, sprint, product_id: world.product.id };
}

describe("get_agent_context", () => {
  it("has exactly the fields of the contract", async () => {
    const { actor, product, product_id, sprint, story, tasks } = await seedSprint(1);
    const idea = await createIdea(actor, { product_id, title: "Idea", description: "d" });
    const task = at(tasks, 0);
    expect(JSON.parse(await getAgentContextJson(actor, { product_id }))).toEqual({
      product: {
        id: product.id,
        code: "WORLD",
        name: "World",
        description: "",
        repo_url: "",
        definition_of_done: "",
      },
      active_sprint: { id: sprint.id, sprint_goal: "Goal", status: "ACTIVE" },
      next_story: {
        id: story.id,
        code: "ST-001",
        title: "Story",
        description: "",
        acceptance_criteria: "",
        priority: 3,
        status: "in_sprint",
        tasks: [
          {
            id: task.id,
            code: "T-1",
            title: "Task 1",
            description: "",
            implementation_plan: null,
            priority: 3,
            sort_order: 1,
            status: "todo",
          },
        ],
      },
      open_ideas: [
        {
          id: idea.id,
          code: "IDEA-001",
          title: "Idea",
          description: "d",
          status: "draft",
          created_at: idea.created_at,
        },
      ],
    });
  });

  it("has null for sprint and story when there is none", async () => {
    const { actor, product } = await seedWorld(t, 0);
    const context = await getAgentContext(actor, { product_id: product.id });
    expect([context.active_sprint, context.next_story, context.open_ideas]).toEqual([
      null,
      null,
      [],
    ]);
  });

  it("shows only the caller's open ideas, further products included, the 50 oldest", async () => {
    const { actor, owner, product, pbi } = await seedWorld(t, 0);
    const product_id = product.id;
    const second = await createProduct(actor, { code: "SECOND", name: "Second" });
    const archived = await createIdea(actor, { product_id, title: "archived" });
    await archiveIdea(actor, { idea_id: archived.id });
    const planned = await createIdea(actor, { product_id, title: "planned" });
    await promoteIdea(actor, { idea_id: planned.id });
    const linked = await createIdea(actor, { product_id: second.id, title: "linked" });
    await linkIdeaProduct(actor, { idea_id: linked.id, product_id });
    await createIdea(actor, { product_id: second.id, title: "of another product" });
    const stranger = await createUser(t);
    await t.sql.query("insert into public.product_members (product_id, user_id) values ($1, $2)", [
      product_id,
      stranger.id,
    ]);
    await createIdea(t.actorOf(stranger), { product_id, title: "of another user" });
    await t.sql.query(
      `insert into public.ideas (user_id, product_id, title, created_at)
       select $1, $2, 'n ' || n, clock_timestamp() + make_interval(secs => n) from generate_series(1, 60) n`,
      [owner.id, product_id],
    );
    const { open_ideas } = await getAgentContext(actor, { product_id });
    expect(open_ideas.map(({ title }) => title)).toEqual([
      "linked",
      ...Array.from({ length: 49 }, (_, n) => `n ${n + 1}`),
    ]);
    expect(pbi.code).toBe("PBI-1");
  });

  it("may be called by a demo account that is a member", async () => {
    const { product } = await seedWorld(t, 0);
    const demo = await createUser(t, { demo: true });
    await t.sql.query("insert into public.product_members (product_id, user_id) values ($1, $2)", [
      product.id,
      demo.id,
    ]);
    expect((await getAgentContext(t.actorOf(demo), { product_id: product.id })).product.code).toBe(
      "WORLD",
    );
  });
});

describe("get_next_story", () => {
  it("has exactly the fields of the contract, without a priority", async () => {
    const { actor, product_id } = await seedSprint(0);
    const answer = JSON.parse(await getNextStoryJson(actor, { product_id }));
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
    const { actor, pbi, product_id, sprint, tasks } = await seedSprint(1);
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
    const { actor, product } = await seedWorld(t, 0);
    expect(await statusOf(getNextStory(actor, { product_id: product.id }))).toBe(404);
  });
});

describe("list_sprint_tasks", () => {
  it("orders by the story's, then the task's sort_order, and cuts at the limit", async () => {
    const { actor, pbi, sprint, story } = await seedSprint(0);
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
    const { actor, sprint, story } = await seedSprint(0);
    await t.sql.query(
      "insert into public.tasks (story_id, title) select $1, 'x' from generate_series(1, 60)",
      [story.id],
    );
    expect(await listSprintTasks(actor, { sprint_id: sprint.id })).toHaveLength(10);
    expect(await listSprintTasks(actor, { sprint_id: sprint.id, limit: 50 })).toHaveLength(50);
    expect(await statusOf(listSprintTasks(actor, { sprint_id: sprint.id, limit: 51 }))).toBe(422);
    expect(await statusOf(listSprintTasks(actor, { sprint_id: sprint.id, limit: 0 }))).toBe(422);
  });
});

describe("get_backlog", () => {
  it("has an array for every PBI and every story, and statuses in lower case", async () => {
    const { actor, product, pbi, story, tasks } = await seedWorld(t, 1);
    const empty = await createStory(actor, { pbi_id: pbi.id, title: "Empty" });
    const answer = JSON.parse(await getBacklogJson(actor, { product_id: product.id }));
    expect(Object.keys(answer)).toEqual(["product", "pbis", "storiesByPbi", "tasksByStory"]);
    expect(answer.pbis).toEqual([pbi]);
    expect(answer.storiesByPbi).toEqual({ [pbi.id]: [story, empty] });
    const {
      _detail,
      implementation_plan,
      acceptance_criteria,
      requires_opus,
      estimated_minutes,
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
  });
});

describe("timestamps", () => {
  it("are ISO 8601 in UTC whatever zone a connection is in", async () => {
    const { tasks } = await seedWorld(t, 1);
    const { rows } = await t.sql.query(
      "select set_config('timezone', 'Asia/Tokyo', true), row_to_json(d) as detail from private.task_detail_shape d where d.id = $1",
      [at(tasks, 0).id],
    );
    expect(rows[0]?.detail.created_at).toBe(at(tasks, 0).created_at);
    expect(new Date(at(tasks, 0).created_at).toISOString()).toBe(at(tasks, 0).created_at);
  });
});

describe("every read of agents", () => {
  it("is 404 for an unknown id and 403 for a foreign one", async () => {
    const { product, sprint, tasks } = await seedSprint(1);
    const stranger = t.actorOf(await createUser(t));
    const reads = [
      (id: string) => getAgentContextJson(stranger, { product_id: id }),
      (id: string) => getNextStoryJson(stranger, { product_id: id }),
      (id: string) => getBacklogJson(stranger, { product_id: id }),
    ];
    for (const read of reads) {
      expect(await statusOf(read(unknownId))).toBe(404);
      expect(await statusOf(read(product.id))).toBe(403);
    }
    expect(await statusOf(listSprintTasks(stranger, { sprint_id: unknownId }))).toBe(404);
    expect(await statusOf(listSprintTasks(stranger, { sprint_id: sprint.id }))).toBe(403);
    expect(await statusOf(getTaskDetailJson(stranger, { task_id: product.id }))).toBe(404);
    expect(await statusOf(getTaskDetailJson(stranger, { task_id: at(tasks, 0).id }))).toBe(403);
  });
});
