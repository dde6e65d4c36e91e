import { expect, it } from "vitest";
import { z } from "zod";
import { callAs } from "~/db/rpc.server";
import { createPbi } from "~/nouns/pbis/operations.server";
import { cancelSprint, createSprint } from "~/nouns/sprints/operations.server";
import {
  addStoryToSprint,
  appendStoryLog,
  createStory,
  deleteStory,
  getStory,
  updateStory,
} from "~/nouns/stories/operations.server";
import { createTestDatabase } from "../../setup/database";
import { at } from "../../setup/world";
import { statusOf } from "../refusal";

const t = await createTestDatabase();

it("A new story has the defaults of the contract", async () => {
  const { actor, pbi, product } = await t.seedWorld(0);
  const story = await createStory(actor, { pbi_id: pbi.id, title: "New" });
  expect(story).toEqual({
    id: story.id,
    product_id: product.id,
    pbi_id: pbi.id,
    code: "ST-002",
    title: "New",
    description: "",
    acceptance_criteria: "",
    priority: 3,
    status: "open",
    sort_order: 2,
    sprint_id: null,
    assignee_id: null,
    agent: null,
    model: null,
    effort: null,
    created_at: story.created_at,
    version: 1,
  });
});

it("A new story can join a sprint and have an assignee at once", async () => {
  const { actor, owner, pbi, product } = await t.seedWorld(0);
  const sprint = await createSprint(actor, { product_id: product.id });
  const story = await createStory(actor, { pbi_id: pbi.id, title: "New", sprint_id: sprint.id, assignee_id: owner.id });
  expect(story).toMatchObject({ status: "in_sprint", sprint_id: sprint.id, assignee_id: owner.id });
});

it("An update of a story changes the given fields only, and keeps the story within its product", async () => {
  const { actor, pbi, product, story } = await t.seedWorld(0);
  const target = await createPbi(actor, { product_id: product.id, title: "Target" });
  const moved = { ...story, priority: 1, pbi_id: target.id, version: expect.any(Number) };
  expect(await updateStory(actor, { story_id: story.id, priority: 1, pbi_id: target.id })).toEqual(moved);
  const foreign = await t.seedWorld(0);
  expect(await statusOf(updateStory(actor, { story_id: story.id, pbi_id: foreign.pbi.id }))).toBe(403);
  await t.query`insert into public.product_members (product_id, user_id)
      select ${foreign.product.id}, user_id from public.product_members
      where product_id = ${product.id}`;
  expect(await statusOf(updateStory(actor, { story_id: story.id, pbi_id: foreign.pbi.id }))).toBe(422);
  expect(pbi.id).not.toBe(target.id);
});

it("A story joins no sprint of another product and none that is over, and may join one twice", async () => {
  const { actor, product, story } = await t.seedWorld(0);
  const sprint = await createSprint(actor, { product_id: product.id });
  const story_id = story.id;
  const joined = await addStoryToSprint(actor, { sprint_id: sprint.id, story_id });
  expect(await addStoryToSprint(actor, { sprint_id: sprint.id, story_id })).toEqual(joined);
  await cancelSprint(actor, { sprint_id: sprint.id });
  expect((await getStory(actor, { story_id })).sprint).toBeNull();
  expect(await statusOf(addStoryToSprint(actor, { sprint_id: sprint.id, story_id }))).toBe(409);

  const foreign = await t.seedWorld(0);
  const theirs = await createSprint(foreign.actor, { product_id: foreign.product.id });
  expect(await statusOf(addStoryToSprint(actor, { sprint_id: theirs.id, story_id }))).toBe(403);
  await t.query`insert into public.product_members (product_id, user_id)
      select ${foreign.product.id}, user_id from public.product_members
      where product_id = ${product.id}`;
  expect(await statusOf(addStoryToSprint(actor, { sprint_id: theirs.id, story_id }))).toBe(422);
});

it("A story is read with its PBI, tasks, and log, and is gone once it is deleted", async () => {
  const { actor, pbi, story, tasks } = await t.seedWorld(2);
  const story_id = story.id;
  await appendStoryLog(actor, { story_id, type: "IMPLEMENTATION_PLAN", content: "x" });
  const detail = await getStory(actor, { story_id });
  expect(detail.pbi).toEqual({ id: pbi.id, code: pbi.code, title: pbi.title });
  expect(detail.tasks).toEqual(tasks);
  expect(at(detail.logs.items, 0).content).toBe("x");
  await deleteStory(actor, { story_id });
  expect(await statusOf(getStory(actor, { story_id }))).toBe(404);
  expect(await statusOf(getStory(t.actorOf(await t.createUser()), { story_id: pbi.id }))).toBe(404);
});

it.each([
  { p_type: "NOTE", p_content: "x" },
  { p_type: null, p_content: "x" },
  { p_type: "IMPLEMENTATION_PLAN", p_content: null },
  { p_type: "IMPLEMENTATION_PLAN", p_content: "" },
  { p_type: "IMPLEMENTATION_PLAN", p_content: "x".repeat(100_001) },
  { p_type: "IMPLEMENTATION_PLAN", p_content: "x", p_status: "PASSED" },
  { p_type: "IMPLEMENTATION_PLAN", p_content: "x", p_metadata: [1] },
  { p_type: "TEST_RESULT", p_content: "x" },
  { p_type: "TEST_RESULT", p_content: "x", p_status: "passed" },
  { p_type: "TEST_RESULT", p_content: "x", p_status: "PASSED", p_commit_hash: "a" },
  { p_type: "COMMIT", p_content: "x", p_commit_hash: "a" },
  { p_type: "COMMIT", p_content: "x", p_commit_message: "a" },
  { p_type: "COMMIT", p_content: "x", p_commit_hash: "a", p_commit_message: "b", p_status: "PASSED" },
])("A log entry of another shape is refused with 422, also past the routes (entry %#)", async (fields) => {
  const { actor, story } = await t.seedWorld(0);
  const call = callAs(actor, "append_story_log", { p_story_id: story.id, ...fields }, z.unknown());
  expect(await statusOf(call)).toBe(422);
  expect((await getStory(actor, { story_id: story.id })).logs.items).toEqual([]);
});
