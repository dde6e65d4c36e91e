import { describe, expect, it } from "vitest";
import { bearer, createToken, startTestApp } from "../setup/app";
import { addMember, seedProduct } from "../setup/backlog";
import { createTestDatabase } from "../setup/database";
import { expectRefusal } from "../setup/endpoint-checks";
import { createUser, type TestUser } from "../setup/users";

const t = await createTestDatabase();
const app = await startTestApp(t);

async function listFor(user: TestUser): Promise<{ id: string }[]> {
  const response = await app.request("/api/products", {
    headers: bearer(await createToken(t, user)),
  });
  expect(response.status).toBe(200);
  return response.json();
}

describe("GET /api/products", () => {
  it("answers an array with exactly six fields each", async () => {
    const owner = await createUser(t);
    const product = await seedProduct(t, owner);
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

  it("lists what the caller owns and is a member of, once each, and nothing else", async () => {
    const [owner, member, stranger] = [
      await createUser(t),
      await createUser(t),
      await createUser(t),
    ];
    const shared = await seedProduct(t, owner);
    const own = await seedProduct(t, member);
    await addMember(t, shared.id, member);
    expect((await listFor(member)).map(({ id }) => id)).toEqual([shared.id, own.id]);
    expect((await listFor(owner)).map(({ id }) => id)).toEqual([shared.id]);
    expect(await listFor(stranger)).toEqual([]);
  });

  it("leaves archived products out, and looks at membership again each time", async () => {
    const [owner, member] = [await createUser(t), await createUser(t)];
    const product = await seedProduct(t, owner);
    await addMember(t, product.id, member);
    expect(await listFor(member)).toHaveLength(1);
    await t.sql.query("delete from product_members where user_id = $1", [member.id]);
    expect(await listFor(member)).toEqual([]);
    await t.sql.query("update products set archived_at = now() where id = $1", [product.id]);
    expect(await listFor(owner)).toEqual([]);
  });

  it("takes the scheme in any case, and a token of a deleted user for none", async () => {
    const user = await createUser(t);
    const token = await createToken(t, user);
    const headers = { authorization: `bearer ${token}` };
    expect((await app.request("/api/products", { headers })).status).toBe(200);
    await t.sql.query("delete from auth.users where id = $1", [user.id]);
    await expectRefusal(await app.request("/api/products", { headers }), 401);
  });
});
