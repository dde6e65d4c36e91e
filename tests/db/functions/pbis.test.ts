import fc from "fast-check";
import { expect, it } from "vitest";
import {
  createPbi,
  deletePbi,
  getPbi,
  markPbiPrMerged,
  movePbi,
  setPbiPr,
  updatePbi,
} from "~/nouns/pbis/operations.server";
import { getBacklog } from "~/nouns/products/operations.server";
import { createTestDatabase } from "../../setup/database";
import { at, type World } from "../../setup/world";
import { statusOf } from "../refusal";

const t = await createTestDatabase();

async function seedPbis(titles: string[]) {
  const world = await t.seedWorld(0);
  await deletePbi(world.actor, { pbi_id: world.pbi.id });
  const pbis = [];
  for (const title of titles) {
    pbis.push(await createPbi(world.actor, { product_id: world.product.id, title }));
  }
  return { ...world, pbis };
}

async function orderOf({ actor, product }: World) {
  const { pbis } = await getBacklog(actor, { product_id: product.id });
  return pbis.map(({ title }) => title).join("");
}

it("PBIs are ordered by priority, then sort_order, and a new one comes last in its priority", async () => {
  const world = await seedPbis(["a", "b"]);
  await createPbi(world.actor, { product_id: world.product.id, title: "c", priority: 1 });
  await createPbi(world.actor, { product_id: world.product.id, title: "d", priority: 5 });
  await createPbi(world.actor, { product_id: world.product.id, title: "e" });
  expect(await orderOf(world)).toBe("cabed");
});

it("A PBI that moves between two others gets a float between theirs", async () => {
  const world = await seedPbis(["a", "b", "c"]);
  const [a, b, c] = [at(world.pbis, 0), at(world.pbis, 1), at(world.pbis, 2)];
  const moved = await movePbi(world.actor, { pbi_id: c.id, before_id: b.id });
  expect(moved.sort_order).toBe(1.5);
  expect(await orderOf(world)).toBe("acb");
  await movePbi(world.actor, { pbi_id: a.id, after_id: b.id });
  expect(await orderOf(world)).toBe("cba");
  await movePbi(world.actor, { pbi_id: a.id, before_id: c.id });
  expect(await orderOf(world)).toBe("acb");
});

it("A PBI that moves takes the priority of its neighbor, or comes last in a named one", async () => {
  const world = await seedPbis(["a", "b"]);
  const top = await createPbi(world.actor, { product_id: world.product.id, title: "t", priority: 0 });
  const moved = await movePbi(world.actor, { pbi_id: at(world.pbis, 1).id, after_id: top.id });
  expect(moved.priority).toBe(0);
  expect(await orderOf(world)).toBe("tba");
  await movePbi(world.actor, { pbi_id: top.id, priority: 3 });
  expect(await orderOf(world)).toBe("bat");
});

it("A PBI can move between two others when no float is left between theirs", async () => {
  const world = await seedPbis(["a", "b", "c"]);
  const [a, b, c] = [at(world.pbis, 0), at(world.pbis, 1), at(world.pbis, 2)];
  await t.query`update public.pbis set sort_order = 1 where id = any (${[a.id, b.id]})`;
  await movePbi(world.actor, { pbi_id: c.id, after_id: a.id });
  expect(await orderOf(world)).toBe("acb");
  for (let n = 0; n < 120; n++) {
    await movePbi(world.actor, { pbi_id: n % 2 ? b.id : c.id, after_id: a.id });
  }
  expect(await orderOf(world)).toBe("abc");
});

it("The order of PBIs equals that of a plain list after any moves", async () => {
  const world = await seedPbis(["a", "b", "c", "d", "e"]);
  let model = world.pbis.map(({ title }) => title);
  const moves = fc.sample(fc.tuple(fc.nat(4), fc.nat(4), fc.boolean()), 40);
  for (const [from, to, before] of moves.filter(([from, to]) => from !== to)) {
    const [moved, anchor] = [at(world.pbis, from), at(world.pbis, to)];
    await movePbi(world.actor, { pbi_id: moved.id, [before ? "before_id" : "after_id"]: anchor.id });
    const rest = model.filter((title) => title !== moved.title);
    const place = rest.indexOf(anchor.title) + (before ? 0 : 1);
    model = [...rest.slice(0, place), moved.title, ...rest.slice(place)];
    expect(await orderOf(world)).toBe(model.join(""));
  }
});

it("A PBI cannot move to itself, to two neighbors, to nowhere, or to another product", async () => {
  const world = await seedPbis(["a", "b"]);
  const foreign = await t.seedWorld(0);
  const pbi_id = at(world.pbis, 0).id;
  const other = at(world.pbis, 1).id;
  expect(await statusOf(movePbi(world.actor, { pbi_id, before_id: pbi_id }))).toBe(422);
  expect(await statusOf(movePbi(world.actor, { pbi_id, before_id: other, after_id: other }))).toBe(422);
  expect(await statusOf(movePbi(world.actor, { pbi_id }))).toBe(422);
  expect(await statusOf(movePbi(world.actor, { pbi_id, before_id: foreign.pbi.id }))).toBe(404);
});

it("An update of a PBI changes the given fields only", async () => {
  const { actor, pbi } = await t.seedWorld(0);
  const updated = await updatePbi(actor, { pbi_id: pbi.id, title: "New", code: "NEW-1" });
  expect(updated).toEqual({ ...pbi, title: "New", code: "NEW-1", version: 2 });
  expect((await updatePbi(actor, { pbi_id: pbi.id, priority: 1 })).priority).toBe(1);
});

it("The pull request of a PBI is merged once, and is unmerged again when it is another", async () => {
  const { actor, pbi } = await t.seedWorld(0);
  const pbi_id = pbi.id;
  expect(await statusOf(markPbiPrMerged(actor, { pbi_id }))).toBe(409);
  await setPbiPr(actor, { pbi_id, pr_url: "https://example.com/pr/1" });
  const merged = await markPbiPrMerged(actor, { pbi_id });
  expect(merged.pr_merged_at).not.toBeNull();
  expect(await markPbiPrMerged(actor, { pbi_id })).toEqual(merged);
  expect((await setPbiPr(actor, { pbi_id, pr_url: "https://example.com/pr/1" })).pr_merged_at).not.toBeNull();
  expect((await setPbiPr(actor, { pbi_id, pr_url: "https://example.com/pr/2" })).pr_merged_at).toBeNull();
  expect((await setPbiPr(actor, { pbi_id, pr_url: null })).pr_url).toBeNull();
  expect(await statusOf(setPbiPr(actor, { pbi_id, pr_url: "javascript:alert(1)" }))).toBe(422);
});

it("A deleted PBI goes with its stories and tasks", async () => {
  const { actor, pbi, product } = await t.seedWorld(2);
  expect((await getPbi(actor, { pbi_id: pbi.id })).stories).toHaveLength(1);
  await deletePbi(actor, { pbi_id: pbi.id });
  const backlog = await getBacklog(actor, { product_id: product.id });
  expect([backlog.pbis, backlog.storiesByPbi, backlog.tasksByStory]).toEqual([[], {}, {}]);
  expect(await statusOf(getPbi(actor, { pbi_id: pbi.id }))).toBe(404);
});
