import { expect, it } from "vitest";
import { archiveProduct } from "~/nouns/products/operations.server";
import { openApp } from "../setup/app";
import type { TestUser } from "../setup/world";

const { t, app } = await openApp({ pages: true });
const visitorOf = async (user: TestUser) => await app.visitorOf(user);

async function scene() {
  const [ada, bob] = [await t.createUser(), await t.createUser()];
  const product = await t.seedProduct(ada);
  const members = `/products/${product.id}/members`;
  return { ada, bob, product, members, owner: await visitorOf(ada), guest: await visitorOf(bob) };
}
type Scene = Awaited<ReturnType<typeof scene>>;

const ask = ({ owner, members, bob }: Scene, role = "member") =>
  owner.send(members, [
    ["intent", "add"],
    ["identifier", bob.email],
    ["role", role],
  ]);

async function roleOf({ product }: Scene, user: { id: string }): Promise<string | undefined> {
  const rows = await t.query`select role from product_members where product_id = ${product.id}
    and user_id = ${user.id}`;
  return rows[0]?.role;
}

async function reach({ product, bob }: Scene): Promise<number> {
  const headers = await t.bearerOf(bob);
  return (await app.request(`/api/products/${product.id}/backlog`, { headers })).status;
}

it.each(["member", "viewer"])("A user with an account is asked, and is a %s once they accept", async (role) => {
  const s = await scene();
  expect((await ask(s, role)).status).toBe(303);
  expect(await roleOf(s, s.bob)).toBeUndefined();
  expect(await reach(s), "no member until then").toBe(403);
  expect(await s.owner.read(s.members)).toContain(s.bob.username);
  expect(await s.guest.read("/inbox")).toContain(`${s.ada.username} invites you as a ${role}.`);
  expect(await s.guest.read("/inbox?show=invitations")).toContain("Ledger");

  const led = await s.guest.submit("/inbox?show=invitations", "accept");
  expect(led).toBe(`/products/${s.product.id}/backlog`);
  expect(await roleOf(s, s.bob)).toBe(role.toUpperCase());
  expect(await reach(s)).toBe(200);
  expect(await s.guest.read("/inbox?show=invitations")).not.toContain("Join Ledger");
  expect(await s.owner.read(s.members)).not.toContain("Revoke the invitation");
});

it("An invited user can decline in the inbox, and can be asked again", async () => {
  const s = await scene();
  await ask(s);
  expect(await s.guest.submit("/inbox", "decline")).toBe("/inbox?show=invitations");
  expect(await roleOf(s, s.bob)).toBeUndefined();
  expect(await s.guest.read("/inbox")).not.toContain("invites you");
  expect((await ask(s)).status).toBe(303);
  expect((await ask(s)).status, "asked already").toBe(409);
});

it("An invitation cannot be accepted once revoked, after seven days, or in an archived product", async () => {
  const ends: ((s: Scene) => Promise<unknown>)[] = [
    ({ owner, members }) => owner.submit(members, "revoke-invitation"),
    ({ product }) => t.query`update product_invitations set expires_at = now() where product_id = ${product.id}`,
    ({ ada, product }) => archiveProduct(t.actorOf(ada), { product_id: product.id }),
  ];
  for (const end of ends) {
    const s = await scene();
    await ask(s);
    const rows = await t.query`select id from product_invitations where product_id = ${s.product.id}`;
    await end(s);
    expect(await s.guest.read("/inbox")).not.toContain("invites you");
    const late = await s.guest.send("/inbox?show=invitations", [
      ["intent", "accept"],
      ["invitation_id", rows[0].id],
    ]);
    expect([403, 404]).toContain(late.status);
    expect(await roleOf(s, s.bob)).toBeUndefined();
  }
});

it("Only the invited user can accept an invitation, and no stranger can invite", async () => {
  const s = await scene();
  await ask(s);
  const rows = await t.query`select id from product_invitations where product_id = ${s.product.id}`;
  const eve = await t.createUser();
  const stranger = await visitorOf(eve);
  const fields: [string, string][] = [
    ["intent", "accept"],
    ["invitation_id", rows[0].id],
  ];
  for (const visitor of [stranger, s.owner]) {
    expect((await visitor.send("/inbox?show=invitations", fields)).status).toBe(404);
  }
  expect((await ask({ ...s, owner: stranger })).status).toBe(403);
  expect(await roleOf(s, eve)).toBeUndefined();
  expect(await roleOf(s, s.bob)).toBeUndefined();
});

it("A demo account that is invited is a member at once", async () => {
  const s = await scene();
  const demo = await t.createUser({ demo: true });
  await ask({ ...s, bob: demo });
  expect(await roleOf(s, demo)).toBe("MEMBER");
});
