import { expect, it } from "vitest";
import { openApp } from "../setup/app";
import { expectRefusal } from "../setup/endpoint-checks";
import type { TestUser } from "../setup/world";

const { t, app } = await openApp();

async function listFor(user: TestUser): Promise<{ id: string }[]> {
  const response = await app.request("/api/products", { headers: await t.bearerOf(user) });
  expect(response.status).toBe(200);
  return response.json();
}

it("GET /api/products returns an array with exactly six fields per product", async () => {
  const owner = await t.createUser();
  const product = await t.seedProduct(owner);
  expect(await listFor(owner)).toEqual([
    {
      id: product.id,
      code: product.code,
      name: "Ledger",
      description: "Keeps accounts.",
      repo_url: "https://example.com/ledger",
      definition_of_done: "Reviewed and released",
    },
  ]);
});

it("A caller gets the products that they own or are a member of, once each, and no others", async () => {
  const [owner, member, stranger] = [await t.createUser(), await t.createUser(), await t.createUser()];
  const shared = await t.seedProduct(owner);
  const own = await t.seedProduct(member);
  await t.addMember(shared.id, member);
  expect((await listFor(member)).map(({ id }) => id)).toEqual([shared.id, own.id]);
  expect((await listFor(owner)).map(({ id }) => id)).toEqual([shared.id]);
  expect(await listFor(stranger)).toEqual([]);
});

it("The list of products leaves out archived ones, and checks membership each time", async () => {
  const [owner, member] = [await t.createUser(), await t.createUser()];
  const product = await t.seedProduct(owner);
  await t.addMember(product.id, member);
  expect(await listFor(member)).toHaveLength(1);
  await t.query`delete from product_members where user_id = ${member.id}`;
  expect(await listFor(member)).toEqual([]);
  await t.query`update products set archived_at = now() where id = ${product.id}`;
  expect(await listFor(owner)).toEqual([]);
});

it("A bearer token works with its scheme in any case, and no more once its user is deleted", async () => {
  const user = await t.createUser();
  const token = await t.createToken(user);
  const headers = { authorization: `bearer ${token}` };
  expect((await app.request("/api/products", { headers })).status).toBe(200);
  await t.query`delete from auth.users where id = ${user.id}`;
  await expectRefusal(await app.request("/api/products", { headers }), 401);
});
