import { expect, it } from "vitest";
import { createWebhook } from "~/nouns/notices/operations.server";
import { refusalOf } from "../db/refusal";
import { startTestApp } from "../setup/app";
import { seedProduct } from "../setup/backlog";
import { createTestDatabase } from "../setup/database";
import { createUser } from "../setup/users";
import { linear } from "../transfers/exports";
import { mover, newProduct } from "../transfers/mover";

const t = await createTestDatabase();
const app = await startTestApp(t);

it("an account owns 200 products, on every way", async () => {
  const owner = await createUser(t);
  const fill =
    "insert into public.products (owner_id, code, name) select $1, 'P' || n, 'One' from generate_series(1, $2) n";
  await t.sql.query(fill, [owner.id, 199]);
  const { send, move } = await mover(t, app, owner);
  const target = { format: "linear", ...newProduct() };
  await move(target, ["linear.csv", linear]);
  const answer = await send({ format: "linear", ...newProduct() }, ["linear.csv", linear]);
  expect(answer.status).toBe(409);
  expect(await answer.json()).toMatchObject({
    error:
      "There are 200 products that you own, which is the limit. Delete some that are not needed.",
  });
  const refused = await refusalOf(seedProduct(t, owner, {}));
  expect(refused.status).toBe(409);
  expect(await seedProduct(t, await createUser(t), {})).toBeDefined();
});

it("a product has 50 webhooks", async () => {
  const owner = await createUser(t);
  const { id: product_id } = await seedProduct(t, owner, {});
  await t.sql.query(
    "insert into public.webhooks (product_id, url, secret, events) select $1, 'https://example.com', repeat('s', 40), '[\"run.finished\"]' from generate_series(1, 49)",
    [product_id],
  );
  const add = () => createWebhook(t.actorOf(owner), { product_id, url: "https://example.com/a" });
  await add();
  expect((await refusalOf(add())).message).toContain("50 webhooks of this product");
});
