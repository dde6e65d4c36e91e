import { expect, it } from "vitest";
import { reportAgentJob } from "~/nouns/agent-jobs/operations.server";
import { createPbi, updatePbi } from "~/nouns/pbis/operations.server";
import { getBacklog } from "~/nouns/products/operations.server";
import { startRun } from "~/nouns/sprint-runs/operations.server";
import { completeSprint, createSprint, startSprint } from "~/nouns/sprints/operations.server";
import {
  addStoryToSprint,
  createStory,
  deleteStory,
  getStory,
  removeStoryFromSprint,
  updateStory,
} from "~/nouns/stories/operations.server";
import { createTask, deleteTask, moveTask, setTaskStatus } from "~/nouns/tasks/operations.server";
import type { TaskStatus } from "~/wire/status";
import { createTestDatabase } from "../../setup/database";
import { at, claim, type World } from "../../setup/world";
import { asUser } from "../as-user";

const t = await createTestDatabase();

/** Sets the tasks of the world in order and reads what story and PBI have become. */
async function statusesAfter(world: World, ...statuses: TaskStatus[]) {
  for (const [index, status] of statuses.entries()) {
    await setTaskStatus(world.actor, { task_id: at(world.tasks, index).id, status });
  }
  return statusesOf(world);
}

async function statusesOf(world: World) {
  const backlog = await getBacklog(world.actor, { product_id: world.product.id });
  const story = backlog.storiesByPbi[world.pbi.id]?.find(({ id }) => id === world.story.id);
  return { story: story?.status, pbi: backlog.pbis.find(({ id }) => id === world.pbi.id)?.status };
}

it("A story is open and its PBI ready while no task decides their status", async () => {
  const world = await t.seedWorld();
  expect(await statusesAfter(world, "in_progress", "review")).toEqual({ story: "open", pbi: "ready" });
});

it("A story and its PBI are done with the last task, and return when one is taken up again", async () => {
  const world = await t.seedWorld();
  expect(await statusesAfter(world, "done")).toEqual({ story: "open", pbi: "ready" });
  expect(await statusesAfter(world, "done", "done")).toEqual({ story: "done", pbi: "done" });
  expect(await statusesAfter(world, "in_progress")).toEqual({ story: "open", pbi: "ready" });
});

it("A story and its PBI fail with one failed task, before done, and return when the reason goes", async () => {
  const world = await t.seedWorld();
  expect(await statusesAfter(world, "failed", "done")).toEqual({ story: "failed", pbi: "failed" });
  expect(await statusesAfter(world, "done")).toEqual({ story: "done", pbi: "done" });
});

it("A story that stops being failed or done returns to in_sprint inside a sprint and to open outside", async () => {
  const world = await t.seedWorld();
  const sprint = await createSprint(world.actor, { product_id: world.product.id });
  const joined = await addStoryToSprint(world.actor, { sprint_id: sprint.id, story_id: world.story.id });
  expect(joined.status).toBe("in_sprint");
  expect(await statusesAfter(world, "failed")).toEqual({ story: "failed", pbi: "failed" });
  expect(await statusesAfter(world, "todo")).toEqual({ story: "in_sprint", pbi: "ready" });
  await statusesAfter(world, "done", "done");
  expect((await removeStoryFromSprint(world.actor, { story_id: world.story.id })).status).toBe("done");
  expect(await statusesAfter(world, "todo")).toEqual({ story: "open", pbi: "ready" });
});

it.each([
  ["taken up again", "open", ({ actor, story }: World) => createTask(actor, { story_id: story.id, title: "Late" })],
  [
    "failed by its job",
    "failed",
    ({ actor }: World, attempt: { job_id: string; attempt: number }) =>
      reportAgentJob(actor, { ...attempt, status: "failed", failure_class: "agent_error" }),
  ],
])("A done story that is %s returns from a sprint that has ended to the backlog", async (_, status, late) => {
  const world = await t.seedWorld(1);
  const { actor, story, tasks } = world;
  const sprint = await createSprint(actor, { product_id: world.product.id });
  await addStoryToSprint(actor, { sprint_id: sprint.id, story_id: story.id });
  await startSprint(actor, { sprint_id: sprint.id });
  await t.query`update tasks set implementation_plan = 'Write it' where story_id = ${story.id}`;
  await startRun(actor, { task_ids: tasks.map(({ id }) => id) });
  const { id: job_id, attempt } = await claim(actor);
  await statusesAfter(world, "done");
  await completeSprint(actor, { sprint_id: sprint.id });
  expect(await getStory(actor, { story_id: story.id })).toMatchObject({ status: "done", sprint_id: sprint.id });
  await late(world, { job_id, attempt });
  expect(await getStory(actor, { story_id: story.id })).toMatchObject({ status, sprint_id: null });
});

it("A story without tasks is never done, nor is a PBI without stories", async () => {
  const world = await t.seedWorld(1);
  await statusesAfter(world, "done");
  await deleteTask(world.actor, { task_id: at(world.tasks, 0).id });
  expect(await statusesOf(world)).toEqual({ story: "open", pbi: "ready" });
  await deleteStory(world.actor, { story_id: world.story.id });
  expect((await statusesOf(world)).pbi).toBe("ready");
});

it("The status of a story and its PBI follows a task that is added, moved, or removed", async () => {
  const world = await t.seedWorld(1);
  await statusesAfter(world, "done");
  const extra = await createTask(world.actor, { story_id: world.story.id, title: "One more" });
  expect(await statusesOf(world)).toEqual({ story: "open", pbi: "ready" });
  const other = await createStory(world.actor, { pbi_id: world.pbi.id, title: "Other" });
  await moveTask(world.actor, { task_id: extra.id, story_id: other.id });
  expect(await statusesOf(world)).toEqual({ story: "done", pbi: "ready" });
  await deleteStory(world.actor, { story_id: other.id });
  expect(await statusesOf(world)).toEqual({ story: "done", pbi: "done" });
});

it("The status of both PBIs follows a story that moves from one to the other", async () => {
  const world = await t.seedWorld(1);
  await statusesAfter(world, "failed");
  const target = await createPbi(world.actor, { product_id: world.product.id, title: "Target" });
  await updateStory(world.actor, { story_id: world.story.id, pbi_id: target.id });
  const { pbis } = await getBacklog(world.actor, { product_id: world.product.id });
  expect(pbis.map(({ title, status }) => [title, status])).toEqual([
    ["PBI", "ready"],
    ["Target", "failed"],
  ]);
});

it("A blocked PBI is never overwritten by its stories, and takes their status when it is unblocked", async () => {
  const world = await t.seedWorld();
  await updatePbi(world.actor, { pbi_id: world.pbi.id, status: "blocked" });
  expect(await statusesAfter(world, "failed")).toEqual({ story: "failed", pbi: "blocked" });
  expect(await statusesAfter(world, "done", "done")).toEqual({ story: "done", pbi: "blocked" });
  await updatePbi(world.actor, { pbi_id: world.pbi.id, title: "Still blocked" });
  expect((await statusesOf(world)).pbi).toBe("blocked");
  expect((await updatePbi(world.actor, { pbi_id: world.pbi.id, status: "ready" })).status).toBe("done");
});

it("A PBI that is not blocked keeps its status when it is set to ready", async () => {
  const world = await t.seedWorld();
  await statusesAfter(world, "failed");
  expect((await updatePbi(world.actor, { pbi_id: world.pbi.id, status: "ready" })).status).toBe("failed");
});

it("Many tasks changed in one statement derive every story and PBI that they touch", async () => {
  const world = await t.seedWorld(3);
  const other = await createStory(world.actor, { pbi_id: world.pbi.id, title: "Other" });
  await createTask(world.actor, { story_id: other.id, title: "Task" });
  await t.query`update public.tasks set status = 'DONE' where product_id = ${world.product.id}`;
  const backlog = await getBacklog(world.actor, { product_id: world.product.id });
  expect(backlog.storiesByPbi[world.pbi.id]?.map(({ status }) => status)).toEqual(["done", "done"]);
  expect(backlog.pbis.map(({ status }) => status)).toEqual(["done"]);
  await t.query`delete from public.tasks where product_id = ${world.product.id}`;
  expect(await statusesOf(world)).toEqual({ story: "open", pbi: "ready" });
});

it("A status written directly is refused for stories and sprints, and derived for a PBI not blocked", async () => {
  const world = await t.seedWorld();
  await asUser(t, world.owner, async (client) => {
    await client.query("update public.pbis set status = 'DONE' where id = $1", [world.pbi.id]);
    const { rows } = await client.query("select status from public.pbis where id = $1", [world.pbi.id]);
    expect(rows).toEqual([{ status: "READY" }]);
  });
  for (const statement of [
    "update public.stories set status = 'DONE'",
    "update public.stories set sort_order = 1",
    "update public.sprints set status = 'ACTIVE'",
    "update public.tasks set product_id = gen_random_uuid()",
  ]) {
    await asUser(t, world.owner, async (client) => {
      await expect(client.query(statement), statement).rejects.toMatchObject({ code: "42501" });
    });
  }
});

it("A story's status is replaced by what its tasks call for, no matter who writes it", async () => {
  const world = await t.seedWorld();
  await t.query`update public.stories set status = 'DONE' where id = ${world.story.id}`;
  expect((await statusesOf(world)).story).toBe("open");
});

it("A task's status that is sent straight to the table cascades like an operation", async () => {
  const world = await t.seedWorld();
  await asUser(t, world.owner, async (client) => {
    await client.query("update public.tasks set status = 'DONE' where story_id = $1", [world.story.id]);
    const { rows } = await client.query("select status from public.stories where id = $1", [world.story.id]);
    expect(rows).toEqual([{ status: "DONE" }]);
  });
});

it("The history of a task holds every status once, and every sprint the task came to", async () => {
  const world = await t.seedWorld(1);
  const sprint = await createSprint(world.actor, { product_id: world.product.id });
  await statusesAfter(world, "in_progress");
  await addStoryToSprint(world.actor, { sprint_id: sprint.id, story_id: world.story.id });
  await statusesAfter(world, "done");
  await statusesAfter(world, "done");
  const rows = await t.query`select from_status, to_status, sprint_id
      from public.task_status_changes where task_id = ${at(world.tasks, 0).id} order by id`;
  expect(rows).toEqual([
    { from_status: null, to_status: "TO_DO", sprint_id: null },
    { from_status: "TO_DO", to_status: "IN_PROGRESS", sprint_id: null },
    { from_status: "IN_PROGRESS", to_status: "IN_PROGRESS", sprint_id: sprint.id },
    { from_status: "IN_PROGRESS", to_status: "DONE", sprint_id: sprint.id },
  ]);
});

/** Tasks of a product: noted as waiting for review, and really moved there. */
async function noted(productId: string) {
  const rows =
    await t.query`select array(select w.task_id from tasks_in_review w where w.product_id = ${productId} order by 1)
      as noted,
       array(select id from tasks where product_id = ${productId} and status = 'REVIEW'
         and title <> 'Begun elsewhere' order by 1) as real`;
  return rows[0];
}

it("Tasks in review are noted on every way in and out, but not those that were created so", async () => {
  const { actor, product, story, tasks } = await t.seedWorld(4);
  for (const status of ["review", "in_progress", "review", "review", "done", "review"] as const) {
    await setTaskStatus(actor, { task_id: at(tasks, 0).id, status });
    const { noted: found, real } = await noted(product.id);
    expect(found).toEqual(real);
  }
  await t.query`update tasks set status = 'REVIEW' where product_id = ${product.id}`;
  await t.query`insert into tasks (story_id, title, status) values (${story.id}, 'Begun elsewhere', 'REVIEW')`;
  await deleteTask(actor, { task_id: at(tasks, 1).id });
  const { noted: found, real } = await noted(product.id);
  expect(found).toHaveLength(3);
  expect(found).toEqual(real);
});

it("No index covers what changes with each step of a task, as it would rewrite all indexes of the row", async () => {
  const rows = await t.query`select x.relname from pg_index i
      join pg_class x on x.oid = i.indexrelid
      join pg_depend d on d.classid = 'pg_class'::regclass and d.objid = x.oid and d.refobjid = i.indrelid
      join pg_attribute a on a.attrelid = i.indrelid and a.attnum = d.refobjsubid
      where i.indrelid = 'public.tasks'::regclass and a.attname in ('status', 'updated_at')`;
  expect(rows).toEqual([]);
});
