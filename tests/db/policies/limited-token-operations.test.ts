import { createHash, randomBytes } from "node:crypto";
import type pg from "pg";
import { expect, it } from "vitest";
import { createIdea } from "~/nouns/ideas/operations.server";
import { createProduct, updateProduct } from "~/nouns/products/operations.server";
import { createSprint } from "~/nouns/sprints/operations.server";
import { updateStory } from "~/nouns/stories/operations.server";
import { createTestDatabase } from "../../setup/database";
import { at } from "../../setup/world";
import { listOperations, type Operation } from "./operations";

/**
 * Every operation, called with a token that is limited to one product of its user, with the ids of another product of the same
 * user: no answer holds a word of that one, and none changes it. New operations are covered as soon as they exist.
 */

const t = await createTestDatabase();
const secret = "Quetzalcoatlus";
const world = await t.seedWorld(1);
const open = await createProduct(world.actor, { code: "OPEN", name: "Open" });
await updateProduct(world.actor, { product_id: world.product.id, name: secret });
await updateStory(world.actor, { story_id: world.story.id, title: secret });
const sprint = await createSprint(world.actor, { product_id: world.product.id, sprint_goal: secret });
const idea = await createIdea(world.actor, { product_id: world.product.id, title: secret });
const ids: Record<string, string> = {
  p_product_id: world.product.id,
  p_pbi_id: world.pbi.id,
  p_story_id: world.story.id,
  p_task_id: at(world.tasks, 0).id,
  p_sprint_id: sprint.id,
  p_idea_id: idea.id,
};

async function makeToken(
  scopes: readonly string[] | null,
  products: readonly string[] | null = [open.id],
): Promise<string> {
  const hash = createHash("sha256").update(randomBytes(32)).digest();
  await t.query`
    insert into public.api_tokens (user_id, label, prefix, token_hash, scopes, product_ids)
    values (${world.owner.id}, 'limited', 'blm_', ${hash}, ${scopes}, ${products})`;
  return hash.toString("hex");
}

/** Things by their ids where an operation asks for some; what may be left out is left out in the second round. */
function argumentsOf({ parameters }: Operation, withProduct: boolean): Record<string, unknown> {
  const values = parameters
    .filter(({ name }) => withProduct || name !== "p_product_id")
    .map(({ name, type }): [string, unknown] => [name, fittingValue(name, type)]);
  return Object.fromEntries(values.filter(([, value]) => value !== null));
}

function fittingValue(name: string, type: string): unknown {
  if (type === "uuid") return ids[name] ?? null;
  if (name === "p_query" || name === "p_title" || name === "p_name") return secret;
  if (name === "p_kind") return "story";
  if (name === "p_reference") return secret;
  return null;
}

async function call(client: pg.PoolClient, hash: string, name: string, given: object) {
  await client.query("begin");
  await client.query("set local role service_role");
  try {
    const values = [JSON.stringify({ token_hash: hash }), name, JSON.stringify(given)];
    const { rows } = await client.query("select public.call_as($1, $2, $3)::text as answer", values);
    return String(rows[0]?.answer);
  } catch {
    return "";
  } finally {
    await client.query("rollback");
  }
}

/** The operations whose answer tells of the product, with its ids and without. */
async function answersAbout(client: pg.PoolClient, hash: string): Promise<string[]> {
  const told: string[] = [];
  for (const operation of await listOperations(t, false)) {
    for (const withProduct of [true, false]) {
      const given = argumentsOf(operation, withProduct);
      const answer = await call(client, hash, operation.name, given);
      if (answer.includes(world.story.id) || answer.includes(`"name":"${secret}"`)) {
        told.push(`${operation.name} ${JSON.stringify(given)}`);
      }
    }
  }
  return told;
}

it("A token limited to some products gets no word of another product of its user", async () => {
  const limited = await makeToken(null);
  const client = await t.sql.connect();
  const leaks = await answersAbout(client, limited);
  const listed = await call(client, limited, "list_products", {});
  // The same calls with a token without a limit, so that silence above means something.
  const whole = await makeToken(null, null);
  const known = await answersAbout(client, whole);
  client.release();
  expect(leaks).toEqual([]);
  expect(listed).toContain("OPEN");
  expect(known.length).toBeGreaterThan(25);
});

it("A token writes what its scopes are for and nothing else", async () => {
  const client = await t.sql.connect();
  const label = { p_product_id: open.id, p_name: "bug" };
  const claim = { p_worker: "w" };
  const can = async (scope: string, name: string, given: object) =>
    (await call(client, await makeToken([scope]), name, given)) !== "";
  expect(await can("read", "list_products", {})).toBe(true);
  expect(await can("read", "search", { p_query: "x" })).toBe(true);
  expect(await can("read", "create_label", label)).toBe(false);
  expect(await can("read", "claim_agent_job", claim)).toBe(false);
  expect(await can("plan", "create_label", label)).toBe(true);
  expect(await can("plan", "claim_agent_job", claim)).toBe(false);
  expect(await can("work", "claim_agent_job", claim)).toBe(true);
  expect(await can("work", "create_label", label)).toBe(false);
  client.release();
});
