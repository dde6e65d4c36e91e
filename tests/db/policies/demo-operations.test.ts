import { describe, expect, it } from "vitest";
import { createIdea } from "~/nouns/ideas/operations.server";
import { createProduct } from "~/nouns/products/operations.server";
import { createSprint } from "~/nouns/sprints/operations.server";
import { createTestDatabase } from "../../setup/database";
import { at } from "../../setup/world";
import { becomeCaller } from "../as-user";
import { attempt, countedReads, listOperations, snapshot } from "./operations";

/**
 * Every operation that writes, called with the role and claims of a demo account past `call_as` and the routes: it is refused, or it
 * changes nothing. New operations are covered as soon as they exist.
 */

const t = await createTestDatabase();
const world = await t.seedWorld(1);
const demo = await t.createMember(world.product.id, { demo: true });
const sprint = await createSprint(world.actor, { product_id: world.product.id });
const idea = await createIdea(world.actor, { product_id: world.product.id, title: "Idea" });
const own = await t.createUser();
await createProduct(t.actorOf(own), {
  code: "OWN",
  name: "Of someone who becomes a demo account",
});
await t.query`update public.users set is_demo = true where id = ${own.id}`;

const ids = {
  p_product_id: world.product.id,
  p_pbi_id: world.pbi.id,
  p_story_id: world.story.id,
  p_task_id: at(world.tasks, 0).id,
  p_sprint_id: sprint.id,
  p_idea_id: idea.id,
  p_user_id: world.owner.id,
  p_assignee_id: demo.id,
};

describe("a demo account", () => {
  it.each([
    ["that is a member", () => demo],
    ["that owns a product", () => own],
  ])("%s changes nothing with any of the writing operations (A9, D2)", async (_, account) => {
    const operations = (await listOperations(t, true)).filter(
      ({ name }) => !countedReads.includes(name),
    );
    expect(operations.length).toBeGreaterThan(40);
    const before = await snapshot(t);
    const client = await t.sql.connect();
    const answered: string[] = [];
    for (const operation of operations) {
      await client.query("begin");
      await becomeCaller(client, account());
      if ("answer" in (await attempt(client, operation, ids))) answered.push(operation.name);
      await client.query("commit");
    }
    client.release();
    expect(await snapshot(t), `answered: ${answered.join(", ")}`).toEqual(before);
    expect(answered).toEqual([]);
  });
});
