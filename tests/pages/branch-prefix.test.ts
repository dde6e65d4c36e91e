import { expect, it } from "vitest";
import { getProduct } from "~/nouns/products/operations.server";
import { openApp } from "../setup/app";

const { t, app } = await openApp({ pages: true });

const valid = ["agents", "feature/bot", "a.b_c-d/E1", "x".repeat(50)];
const invalid = [
  "a..b",
  "/a",
  "a/",
  ".a",
  "a.",
  "-a",
  "a-",
  "a//b",
  "a/.b",
  "a.lock",
  "a b",
  "a:b",
  "x".repeat(51),
];

it("the owner names the prefix of branches, and a name that git refuses stays in the form", async () => {
  const { actor, owner, product } = await t.seedSprint();
  const visitor = await app.visitorOf(owner);
  const settings = `/products/${product.id}/settings/agents`;
  const send = (prefix: string) =>
    visitor.send(settings, [
      ["intent", "update"],
      ["code", product.code],
      ["branch_prefix", prefix],
    ]);
  const read = async () => (await getProduct(actor, { product_id: product.id })).branch_prefix;
  expect(await visitor.read(settings)).toContain("Branch prefix");
  for (const prefix of valid) {
    expect((await send(prefix)).status).toBe(303);
    expect(await read()).toBe(prefix);
    const rows = await t.query`select code, private.story_branch(id) as branch from stories
      where product_id = ${product.id} limit 1`;
    expect(rows).toMatchObject([{ branch: `${prefix}/${rows[0].code}` }]);
  }
  for (const prefix of invalid) expect((await send(prefix)).status, prefix).toBe(422);
  expect(await read()).toBe(valid.at(-1));
});

it("the database refuses what git would, too", async () => {
  const { product } = await t.seedSprint();
  const set = (prefix: string) =>
    t.query`update products set branch_prefix = ${prefix} where id = ${product.id}`;
  for (const prefix of valid) await set(prefix);
  for (const prefix of ["", ...invalid]) {
    await expect(set(prefix), prefix).rejects.toThrow("products_branch_prefix_form");
  }
});
