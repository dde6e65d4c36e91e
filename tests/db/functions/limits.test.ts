import pg from "pg";
import { expect, it } from "vitest";
import { addFile } from "~/nouns/files/operations.server";
import { createPbi } from "~/nouns/pbis/operations.server";
import { createProduct } from "~/nouns/products/operations.server";
import { createTestDatabase } from "../../setup/database";
import { asUser } from "../as-user";
import { refusalOf } from "../refusal";

const t = await createTestDatabase();

async function take(action: string, key: string, at?: string): Promise<"taken" | string> {
  const taking = t.inTransaction(async (client) => {
    if (at) await client.query("select set_config('backloom.now', $1, true)", [at]);
    await client.query("select private.take_rate_limit($1, $2)", [action, key]);
    return "taken";
  });
  return taking.catch((error: unknown) => {
    if (error instanceof pg.DatabaseError && error.code === "PT429") return String(error.detail);
    throw error;
  });
}

it("Exactly 5 of 25 products created at once pass, and the rest get 429 with a pause (W1)", async () => {
  const ada = t.actorOf(await t.createUser());
  const outcomes = await Promise.allSettled(
    Array.from({ length: 25 }, (_, n) => createProduct(ada, { code: `P-${n}`, name: "Product" })),
  );
  expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(5);
  const refusal = await refusalOf(createProduct(ada, { code: "P-99", name: "Product" }));
  expect(refusal.status).toBe(429);
  expect(refusal.retryAfter).toBeGreaterThan(0);
  expect(refusal.retryAfter).toBeLessThanOrEqual(60);
});

it("A limit counts each user alone, and a refused operation not at all", async () => {
  const ada = await t.createUser();
  const bea = await t.createUser();
  const product = await t.seedProduct(ada);
  await t.query`insert into public.rate_limit_counters values ('pbi', ${ada.id}, clock_timestamp(), 29)`;
  await refusalOf(createPbi(t.actorOf(ada), { product_id: product.id, title: "x", code: "not a code" }));
  await createPbi(t.actorOf(ada), { product_id: product.id, title: "the thirtieth" });
  const refusal = await refusalOf(createPbi(t.actorOf(ada), { product_id: product.id, title: "x" }));
  expect(refusal.status).toBe(429);
  const other = await t.seedProduct(bea);
  await createPbi(t.actorOf(bea), { product_id: other.id, title: "hers" });
});

it("A limit of creating holds for a direct insert as well", async () => {
  const ada = await t.createUser();
  const product = await t.seedProduct(ada);
  await t.query`insert into public.rate_limit_counters values ('pbi', ${ada.id}, clock_timestamp(), 30)`;
  const insert = "insert into public.pbis (product_id, title) values ($1, 'x')";
  const attempt = asUser(t, ada, (client) => client.query(insert, [product.id]));
  await expect(attempt).rejects.toMatchObject({ code: "PT429" });
});

it.each([
  ["product", 5, 60],
  ["pbi", 30, 60],
  ["story", 60, 60],
  ["task", 100, 60],
  ["sprint", 10, 60],
  ["idea", 60, 60],
  ["story_log", 120, 60],
  ["answer", 60, 60],
  ["enqueue", 30, 60],
  ["api_token", 10, 3600],
  ["login", 10, 60],
  ["registration", 5, 3600],
  ["pair_start", 10, 60],
  ["avatar", 10, 60],
])("The limit of %s is %d in %d seconds", async (action, max, seconds) => {
  const rows = await t.query`select * from private.rate_limit(${action})`;
  expect(rows).toEqual([{ p_max: max, p_seconds: seconds }]);
});

it("The window of a limit opens with the first use and closes after its length", async () => {
  const key = "window";
  for (let n = 0; n < 10; n++) expect(await take("login", key, "2030-01-01T10:00:30Z")).toBe("taken");
  expect(await take("login", key, "2030-01-01T10:01:29.5Z")).toBe('{"retry_after": 1}');
  expect(await take("login", key, "2030-01-01T10:01:10Z")).toBe('{"retry_after": 20}');
  expect(await take("login", key, "2030-01-01T10:01:30Z")).toBe("taken");
});

it("A limit counts exactly under concurrency", async () => {
  const outcomes = await Promise.all(Array.from({ length: 40 }, () => take("login", "many")));
  expect(outcomes.filter((outcome) => outcome === "taken")).toHaveLength(10);
});

it("A limit that does not exist cannot be taken", async () => {
  await expect(take("no_such_limit", "x")).rejects.toThrow("no rate limit");
});

const owner = await t.createUser();

/** Says that a product holds so many files of 10 MB, without their bytes. */
const fill = (productId: string, files: number, by = owner.id) =>
  t.query`insert into public.files (product_id, name, type, size, created_by)
    select ${productId}, 'f', 'text/plain', 10485760, ${by} from generate_series(1, ${files})`;
const add = (productId: string, by = owner) =>
  addFile(t.actorOf(by), {
    product_id: productId,
    name: "a.txt",
    type: "text/plain",
    content: Buffer.from("one").toString("base64"),
  });

it("Room for files ends at 50 MB for a viewer, 1 GB for a product, and 5 GB for its owner", async () => {
  const product = await t.seedProduct(owner, {});
  const viewer = await t.createMember(product.id, { viewer: true });
  await fill(product.id, 4, viewer.id);
  expect(await add(product.id, viewer)).toMatchObject({ name: "a.txt" });
  await fill(product.id, 1, viewer.id);
  const refused = await refusalOf(add(product.id, viewer));
  expect([refused.status, refused.message]).toEqual([413, expect.stringContaining("50 MB")]);
  expect(await add(product.id)).toMatchObject({ name: "a.txt" });

  await fill(product.id, 110);
  expect((await refusalOf(add(product.id))).message).toContain("1 GB");
  let last = product;
  for (let n = 0; n < 4; n++) {
    last = await t.seedProduct(owner, {});
    await fill(last.id, 102);
  }
  expect((await refusalOf(add(last.id))).message).toContain("5 GB");
  const another = await t.createUser();
  expect(await add((await t.seedProduct(another, {})).id, another)).toBeDefined();
});
