import { describe, expect, it } from "vitest";
import { z } from "zod";
import { getAvatar, setAvatar } from "~/nouns/accounts/avatar.server";
import { getProfile, setActiveProduct, updateProfile } from "~/nouns/accounts/operations.server";
import { createTestDatabase } from "../setup/database";
import type { TestUser } from "../setup/world";

const t = await createTestDatabase();
const png = Buffer.concat([Buffer.from("89504e470d0a1a0a", "hex"), Buffer.alloc(100)]);
const idRow = z.object({ id: z.uuid() });

let count = 0;
async function productOf(owner: TestUser): Promise<string> {
  count += 1;
  const rows = await t.query`insert into public.products (owner_id, code, name)
      values (${owner.id}, ${`P-${count}`}, 'A product') returning id`;
  return idRow.parse(rows[0]).id;
}

async function activeOf(user: TestUser): Promise<string | null> {
  return (await getProfile(t.actorOf(user))).active_product_id;
}

it("A new profile has its defaults: 20 percent, DEVELOPER, no flags, no product", async () => {
  const user = await t.createUser();
  expect(await getProfile(t.actorOf(user))).toMatchObject({
    min_quota_pct: 20,
    role: "DEVELOPER",
    is_demo: false,
    must_reset_password: false,
    active_product_id: null,
    has_avatar: false,
  });
});

it("A profile takes a threshold from 1 to 100 and a free username, and keeps what is not named", async () => {
  const user = await t.createUser();
  const actor = t.actorOf(user);
  expect(await updateProfile(actor, { min_quota_pct: 1 })).toMatchObject({ min_quota_pct: 1 });
  expect(await updateProfile(actor, { username: `${user.username}-2` })).toMatchObject({
    min_quota_pct: 1,
    username: `${user.username}-2`,
  });
  for (const min_quota_pct of [0, 101]) {
    await expect(updateProfile(actor, { min_quota_pct })).rejects.toMatchObject({ status: 422 });
  }
  const other = await t.createUser();
  await expect(updateProfile(actor, { username: other.username.toUpperCase() })).rejects.toMatchObject({
    status: 422,
    issues: [{ path: "username" }],
  });
});

it("D7: A profile takes a picture by its content and size, and shows it to people one works with", async () => {
  const [user, mate, stranger] = [await t.createUser(), await t.createUser(), await t.createUser()];
  await t.addMember(await productOf(user), mate);
  await setAvatar(t.actorOf(user), png);
  expect(await getAvatar(t.actorOf(mate), user.id)).toMatchObject({ mime: "image/png" });
  await expect(getAvatar(t.actorOf(stranger), user.id)).rejects.toMatchObject({ status: 404 });
  for (const bytes of [
    Buffer.from("<svg onload=alert(1)>"),
    Buffer.from("GIF8"),
    Buffer.alloc(0),
    Buffer.concat([png, Buffer.alloc(600_000)]),
  ]) {
    await expect(setAvatar(t.actorOf(user), bytes)).rejects.toMatchObject({ status: 422 });
  }
  const page = { p_mime: "text/html", p_hex: "3c68746d6c3e" };
  const forged = t.database.callAs({ user_id: user.id }, "set_avatar", page);
  await expect(forged).rejects.toMatchObject({ status: 422 });
  await setAvatar(t.actorOf(user), null);
  await expect(getAvatar(t.actorOf(user), user.id)).rejects.toMatchObject({ status: 404 });
});

describe("W4: the active product", () => {
  it("An active product needs access: 404 unknown, 403 of others, 403 archived, 403 for demo users", async () => {
    const [owner, stranger] = [await t.createUser(), await t.createUser()];
    const demo = await t.createUser({ demo: true });
    const productId = await productOf(owner);
    await t.addMember(productId, demo);
    await setActiveProduct(t.actorOf(owner), { product_id: productId });
    expect(await activeOf(owner)).toBe(productId);
    const unknown = "00000000-0000-4000-8000-000000000000";
    await expect(setActiveProduct(t.actorOf(owner), { product_id: unknown })).rejects.toMatchObject({ status: 404 });
    for (const who of [stranger, demo]) {
      await expect(setActiveProduct(t.actorOf(who), { product_id: productId })).rejects.toMatchObject({ status: 403 });
      expect(await activeOf(who)).toBeNull();
    }
    const archived = await productOf(owner);
    await t.query`update public.products set archived_at = now() where id = ${archived}`;
    await expect(setActiveProduct(t.actorOf(owner), { product_id: archived })).rejects.toMatchObject({ status: 403 });
    await setActiveProduct(t.actorOf(owner), { product_id: null });
    expect(await activeOf(owner)).toBeNull();
  });

  it("The active product is cleared when it is archived, left or deleted", async () => {
    const owner = await t.createUser();
    const endings = [
      "update public.products set archived_at = now() where id = $1",
      "delete from public.product_members where product_id = $1 and role = 'MEMBER'",
      "delete from public.products where id = $1",
    ];
    for (const ending of endings) {
      const member = await t.createUser();
      const productId = await productOf(owner);
      await t.addMember(productId, member);
      await setActiveProduct(t.actorOf(member), { product_id: productId });
      await t.sql.query(ending, [productId]);
      expect(await activeOf(member)).toBeNull();
    }
  });
});
