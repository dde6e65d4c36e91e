import { describe, expect, it } from "vitest";
import { addComment } from "~/nouns/comments/operations.server";
import { createIdea } from "~/nouns/ideas/operations.server";
import { updateProduct } from "~/nouns/products/operations.server";
import { createSprint } from "~/nouns/sprints/operations.server";
import { appendStoryLog, updateStory } from "~/nouns/stories/operations.server";
import { createTestDatabase } from "../../setup/database";
import { at } from "../../setup/world";
import { becomeCaller } from "../as-user";
import { attempt, listOperations, namesOneOf, snapshot } from "./operations";

/**
 * Every operation, called by someone who has no access, with the ids of a product of others: what names such an id is
 * refused, and no answer holds a word of it. New operations are covered as soon as they exist.
 */

const t = await createTestDatabase();
const secret = "Quetzalcoatlus";
const world = await t.seedWorld(1);
const stranger = await t.createUser();
await updateProduct(world.actor, {
  product_id: world.product.id,
  name: secret,
  description: secret,
});
await updateStory(world.actor, { story_id: world.story.id, title: secret });
await appendStoryLog(world.actor, {
  story_id: world.story.id,
  type: "IMPLEMENTATION_PLAN",
  content: secret,
});
const task = { kind: "task" as const, id: at(world.tasks, 0).id };
const comment = await addComment(world.actor, {
  ...task,
  body: `${secret}: look, @${stranger.username}, @${world.owner.username}`,
});
const sprint = await createSprint(world.actor, {
  product_id: world.product.id,
  sprint_goal: secret,
});
const idea = await createIdea(world.actor, { product_id: world.product.id, title: secret });
const ids = {
  p_product_id: world.product.id,
  p_pbi_id: world.pbi.id,
  p_story_id: world.story.id,
  p_task_id: task.id,
  p_id: task.id,
  p_comment_id: comment.id,
  p_sprint_id: sprint.id,
  p_idea_id: idea.id,
  p_user_id: world.owner.id,
  p_query: secret,
};
const foreign = Object.keys(ids).filter((name) => !["p_user_id", "p_query"].includes(name));

describe("someone without access", () => {
  it("is refused by every operation that names a thing of others, and learns and changes nothing (A5, D2)", async () => {
    const operations = await listOperations(t, false);
    const before = await snapshot(t);
    const client = await t.sql.connect();
    const answeredForForeignIds: string[] = [];
    const leaks: string[] = [];
    for (const operation of operations) {
      await client.query("begin");
      await becomeCaller(client, stranger);
      const outcome = await attempt(client, operation, ids);
      await client.query("rollback");
      if (!("answer" in outcome)) continue;
      if (outcome.answer.includes(secret)) leaks.push(operation.name);
      if (namesOneOf(operation.parameters, foreign)) answeredForForeignIds.push(operation.name);
    }
    client.release();
    expect(leaks).toEqual([]);
    expect(answeredForForeignIds).toEqual([]);
    expect(await snapshot(t)).toEqual(before);
  });
});
