import { expect, it } from "vitest";
import { z } from "zod";
import { callAs } from "~/db/rpc.server";
import { createStory, updateStory } from "~/nouns/stories/operations.server";
import {
  createTask,
  editTask,
  getTaskDetail,
  moveTask,
  setTaskStatus,
  updateTask,
} from "~/nouns/tasks/operations.server";
import { createTestDatabase } from "../../setup/database";
import { at } from "../../setup/world";
import { statusOf } from "../refusal";

const t = await createTestDatabase();

async function seedTask() {
  const world = await t.seedWorld(1);
  return { ...world, task: at(world.tasks, 0), task_id: at(world.tasks, 0).id };
}

it("A new task has the defaults of the contract and the acceptance criteria of its story", async () => {
  const { actor, story, product } = await seedTask();
  await updateStory(actor, { story_id: story.id, acceptance_criteria: "It works." });
  const task = await createTask(actor, { story_id: story.id, title: "New" });
  expect(task).toEqual({
    id: task.id,
    story_id: story.id,
    product_id: product.id,
    code: "T-2",
    title: "New",
    description: "",
    priority: 3,
    sort_order: 2,
    status: "todo",
    repo_url: null,
    verify_only: false,
    verify_required: "ALIGNED_OR_PARTIAL",
    created_at: task.created_at,
    _detail: true,
    implementation_plan: null,
    acceptance_criteria: "It works.",
    requires_opus: false,
    agent: null,
    model: null,
    effort: null,
    estimated_minutes: null,
    version: 1,
  });
  expect(await getTaskDetail(actor, { task_id: task.id })).toEqual(task);
});

it("An update of a task keeps what is not given, and stores the verify fields next to a plan", async () => {
  const { actor, task, task_id } = await seedTask();
  await updateTask(actor, { task_id, status: "in_progress" });
  await updateTask(actor, { task_id, implementation_plan: "Plan", verify_only: true, verify_required: "ANY" });
  expect(await getTaskDetail(actor, { task_id })).toEqual({
    ...task,
    status: "in_progress",
    implementation_plan: "Plan",
    verify_only: true,
    verify_required: "ANY",
    version: expect.any(Number),
  });
  expect(await updateTask(actor, { task_id, implementation_plan: "" })).toMatchObject({ implementation_plan: "" });
});

it("An edit of a task changes the given fields, and null clears plan, repository, and estimate", async () => {
  const { actor, task, task_id } = await seedTask();
  const full = {
    title: "T",
    description: "D",
    code: "X-5",
    implementation_plan: "P",
    priority: 0,
    status: "review",
    repo_url: "git@example.com:a/b.git",
    verify_only: true,
    verify_required: "ANY",
    requires_opus: true,
    estimated_minutes: 30,
  } as const;
  const changed = { ...task, ...full, sort_order: 5, version: expect.any(Number) };
  expect(await editTask(actor, { task_id, ...full })).toEqual(changed);
  const cleared = { implementation_plan: null, repo_url: null, estimated_minutes: null };
  const kept = { ...task, ...full, ...cleared, sort_order: 5, version: expect.any(Number) };
  expect(await editTask(actor, { task_id, ...cleared })).toEqual(kept);
});

it("A task that moves keeps its code and stays within its product", async () => {
  const { actor, pbi, task, task_id } = await seedTask();
  const target = await createStory(actor, { pbi_id: pbi.id, title: "Target" });
  expect(await moveTask(actor, { task_id, story_id: target.id })).toEqual({
    ...task,
    story_id: target.id,
    version: expect.any(Number),
  });
  const foreign = await t.seedWorld(0);
  expect(await statusOf(moveTask(actor, { task_id, story_id: foreign.story.id }))).toBe(403);
  await t.query`insert into public.product_members (product_id, user_id)
      select ${foreign.product.id}, user_id from public.product_members
      where product_id = ${task.product_id}`;
  expect(await statusOf(moveTask(actor, { task_id, story_id: foreign.story.id }))).toBe(422);
});

it("A task takes every status, review and failed included", async () => {
  const { actor, task_id } = await seedTask();
  for (const status of ["in_progress", "review", "done", "failed", "todo"] as const) {
    expect((await setTaskStatus(actor, { task_id, status })).status).toBe(status);
  }
  const call = callAs(actor, "set_task_status", { p_task_id: task_id, p_status: "TO_DO" }, z.unknown());
  expect(await statusOf(call)).toBe(422);
});

it("Timestamps are ISO 8601 in UTC, regardless of zone a connection is in", async () => {
  const { task_id, task } = await seedTask();
  const rows = await t.query`select set_config('timezone', 'Asia/Tokyo', true),
      row_to_json(d) as detail from private.task_detail_shape d where d.id = ${task_id}`;
  expect(rows[0]?.detail.created_at).toBe(task.created_at);
  expect(new Date(String(task.created_at)).toISOString()).toBe(task.created_at);
});
