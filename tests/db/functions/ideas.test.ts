import { expect, it } from "vitest";
import { z } from "zod";
import { callAs } from "~/db/rpc.server";
import {
  archiveIdea,
  createIdea,
  getIdea,
  linkIdeaProduct,
  listIdeas,
  promoteIdea,
  restoreIdea,
  unlinkIdeaProduct,
  updateIdea,
} from "~/nouns/ideas/operations.server";
import { getPbi } from "~/nouns/pbis/operations.server";
import { createProduct, deleteProduct } from "~/nouns/products/operations.server";
import { createTestDatabase } from "../../setup/database";
import { refusalOf, statusOf } from "../refusal";

const t = await createTestDatabase();

async function seedIdea() {
  const world = await t.seedWorld(0);
  const idea = await createIdea(world.actor, { product_id: world.product.id, title: "Idea", description: "Why" });
  return { ...world, idea, idea_id: idea.id };
}

it("The status of an idea moves forward only, and may skip steps", async () => {
  const { actor, idea_id } = await seedIdea();
  expect((await updateIdea(actor, { idea_id, status: "ready" })).status).toBe("ready");
  expect(await statusOf(updateIdea(actor, { idea_id, status: "discussing" }))).toBe(409);
  expect((await updateIdea(actor, { idea_id, status: "ready", title: "New" })).title).toBe("New");
});

it("An idea becomes planned by promotion alone", async () => {
  const { actor, idea_id } = await seedIdea();
  const call = callAs(actor, "update_idea", { p_idea_id: idea_id, p_changes: { status: "planned" } }, z.unknown());
  expect(await statusOf(call)).toBe(422);
});

it("A promoted idea is planned together with its new PBI, linked both ways", async () => {
  const { actor, product, idea_id } = await seedIdea();
  const { idea, pbi } = await promoteIdea(actor, { idea_id, priority: 1 });
  expect(idea).toMatchObject({ status: "planned", pbi_id: pbi.id });
  expect(pbi).toMatchObject({ product_id: product.id, title: "Idea", description: "Why", priority: 1 });
  expect((await getPbi(actor, { pbi_id: pbi.id })).idea).toMatchObject({ id: idea_id, code: idea.code });
  expect(await refusalOf(promoteIdea(actor, { idea_id }))).toMatchObject({
    status: 409,
    message: `Idea ${idea.code} was already promoted. Continue with ${pbi.code}.`,
  });
});

it("A promotion that is refused leaves nothing behind", async () => {
  const { actor, product, idea_id } = await seedIdea();
  expect(await statusOf(promoteIdea(actor, { idea_id, code: "PBI-1" }))).toBe(422);
  expect((await getIdea(actor, { idea_id })).status).toBe("draft");
  const rows = await t.query`select code from public.pbis where product_id = ${product.id}`;
  expect(rows).toEqual([{ code: "PBI-1" }]);
});

it("An idea that is promoted many times at once is promoted once", async () => {
  const { actor, idea_id } = await seedIdea();
  const outcomes = await Promise.allSettled(Array.from({ length: 10 }, () => promoteIdea(actor, { idea_id })));
  expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
});

it("An archived idea cannot be promoted until it is restored", async () => {
  const { actor, idea_id } = await seedIdea();
  await archiveIdea(actor, { idea_id });
  expect(await statusOf(promoteIdea(actor, { idea_id }))).toBe(409);
  await restoreIdea(actor, { idea_id });
  expect((await promoteIdea(actor, { idea_id })).idea.status).toBe("planned");
});

it("A further product of an idea is linked once, and the link goes with the product", async () => {
  const { actor, product, idea_id } = await seedIdea();
  const second = await createProduct(actor, { code: "SECOND", name: "Second" });
  const third = await createProduct(actor, { code: "THIRD", name: "Third" });
  await linkIdeaProduct(actor, { idea_id, product_id: second.id });
  await linkIdeaProduct(actor, { idea_id, product_id: third.id });
  const linked = await linkIdeaProduct(actor, { idea_id, product_id: second.id });
  expect(linked.secondary_product_ids).toEqual([second.id, third.id]);
  expect((await linkIdeaProduct(actor, { idea_id, product_id: product.id })).secondary_product_ids).toHaveLength(2);
  await unlinkIdeaProduct(actor, { idea_id, product_id: third.id });
  await deleteProduct(actor, { product_id: second.id, code: "SECOND" });
  expect((await getIdea(actor, { idea_id })).secondary_product_ids).toEqual([]);
  const foreign = await t.seedWorld(0);
  expect(await statusOf(linkIdeaProduct(actor, { idea_id, product_id: foreign.product.id }))).toBe(403);
});

it("An idea belongs to one user: other members of the product can neither read nor change it", async () => {
  const { product, idea_id } = await seedIdea();
  const member = await t.createMember(product.id);
  expect(await statusOf(getIdea(t.actorOf(member), { idea_id }))).toBe(403);
  expect(await statusOf(updateIdea(t.actorOf(member), { idea_id, title: "x" }))).toBe(403);
  expect(await statusOf(getIdea(t.actorOf(member), { idea_id: product.id }))).toBe(404);
  expect((await listIdeas(t.actorOf(member))).items).toEqual([]);
});

it("Ideas are listed oldest first, archived ones apart, in pages, with a log of what happened", async () => {
  const { actor, product, idea, idea_id } = await seedIdea();
  const second = await createIdea(actor, { product_id: product.id, title: "Second" });
  const page = await listIdeas(actor, { product_id: product.id, limit: 1 });
  expect(page.items.map(({ code }) => code)).toEqual([idea.code]);
  const cursor = page.next_cursor ?? undefined;
  const next = await listIdeas(actor, { product_id: product.id, limit: 1, cursor });
  expect(next.items.map(({ id }) => id)).toEqual([second.id]);
  await updateIdea(actor, { idea_id, title: "Other", status: "discussing" });
  await archiveIdea(actor, { idea_id });
  expect((await listIdeas(actor, { archived: true })).items.map(({ id }) => id)).toEqual([idea_id]);
  const { logs } = await getIdea(actor, { idea_id });
  expect(logs.map(({ kind }) => kind).sort()).toEqual(["ARCHIVED", "CREATED", "EDITED", "STATUS"]);
});
