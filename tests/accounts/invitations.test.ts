import { expect, it } from "vitest";
import { hashInvitationCode, joinProduct } from "~/nouns/products/invitations.server";
import { archiveProduct } from "~/nouns/products/operations.server";
import { openApp, startTestApp, type TestApp } from "../setup/app";

const { t, app } = await openApp({ pages: true, variables: { REGISTRATION: "invite" } });
const password = "a long enough secret";

async function scene() {
  const [ada, bob] = [await t.createUser(), await t.createUser()];
  const product = await t.seedProduct(ada);
  const members = `/products/${product.id}/members`;
  return { ada, bob, product, members, owner: await app.visitorOf(ada), guest: await app.visitorOf(bob) };
}
type Scene = Awaited<ReturnType<typeof scene>>;

/** The path of a new link, read from the page that shows it once. */
async function invite({ owner, members }: Scene, role = "member"): Promise<string> {
  const answer = await owner.send(members, { intent: "invite", role });
  expect(answer.status).toBe(200);
  const [path = ""] = /\/join\/[A-Za-z0-9_-]{43}/.exec(await answer.text()) ?? [];
  expect(path).not.toBe("");
  return path;
}

async function roleOf({ product }: Scene, user: { id: string }): Promise<string | undefined> {
  const rows = await t.query`select role from product_members where product_id = ${product.id}
    and user_id = ${user.id}`;
  return rows[0]?.role;
}

function register(at: TestApp, path: string, username: string): Promise<Response> {
  const email = `${username}@example.com`;
  return at.request("/register", {
    method: "POST",
    headers: { origin: at.origin },
    body: new URLSearchParams({ username, email, password, redirectTo: path }),
  });
}

async function accountOf(username: string): Promise<{ id: string } | undefined> {
  const rows = await t.query`select id from users where username = ${username}`;
  return rows[0];
}

it("An invitation link says who invites to what, and lets in one person who presses, with its role", async () => {
  const s = await scene();
  const path = await invite(s, "viewer");
  const eve = await t.createUser();
  const page = await s.guest.read(path);
  expect(page).toContain(`${s.ada.username}<!-- --> invites you to <bdi>Ledger</bdi>`);
  expect(page).toContain("a viewer");
  expect(await roleOf(s, s.bob), "opening the page changes nothing").toBeUndefined();

  const joined = await s.guest.send(path, []);
  expect(joined.headers.get("location")).toBe(`/products/${s.product.id}/backlog`);
  expect(await roleOf(s, s.bob)).toBe("VIEWER");
  const late = await (await app.visitorOf(eve)).send(path, []);
  expect(late.status).toBe(404);
  expect((await app.request(path)).status).toBe(404);
  expect(await roleOf(s, eve)).toBeUndefined();
});

it("An invitation link is shown once and kept as a hash", async () => {
  const s = await scene();
  const path = await invite(s);
  expect(await s.owner.read(s.members)).not.toContain(path);
  const rows = await t.query`select * from product_invitations`;
  expect(JSON.stringify(rows)).not.toContain(path.slice("/join/".length));
  expect(app.logLines.join("\n")).not.toContain(path);
});

it("An invitation link lets in only one of those who accept at the same moment", async () => {
  const s = await scene();
  const code_hash = hashInvitationCode((await invite(s)).slice("/join/".length));
  const people = await Promise.all(Array.from({ length: 6 }, () => t.createUser()));
  const outcomes = await Promise.allSettled(people.map((user) => joinProduct(t.actorOf(user), { code_hash })));
  expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  const rows = await t.query`select count(*)::int from product_members
      where product_id = ${s.product.id} and role <> 'OWNER'`;
  expect(rows[0].count).toBe(1);
});

it("An invitation link ends when the owner revokes it, after seven days, and with an archived product", async () => {
  const s = await scene();
  const revoked = await invite(s);
  await s.owner.submit(s.members, "revoke-invitation");
  const late = await invite(s);
  await t.query`update product_invitations set expires_at = now() where product_id = ${s.product.id}`;
  const kept = await invite(s);
  await archiveProduct(t.actorOf(s.ada), { product_id: s.product.id });
  for (const path of [revoked, late]) expect((await s.guest.send(path, [])).status).toBe(404);
  expect((await s.guest.send(kept, [])).status).toBe(403);
  expect((await app.request(kept)).status).toBe(404);
  expect(await roleOf(s, s.bob)).toBeUndefined();
});

it("An invitation link is made, listed and revoked by the owner alone, and never for an owner", async () => {
  const s = await scene();
  const member = await t.createMember(s.product.id);
  await invite(s);
  const rows = await t.query`select id from product_invitations where product_id = ${s.product.id}`;
  const visitor = await app.visitorOf(member);
  expect(await visitor.read(s.members)).not.toContain(rows[0].id);
  const tries: Record<string, string>[] = [
    { intent: "invite", role: "member" },
    { intent: "revoke-invitation", invitation_id: rows[0].id },
  ];
  for (const fields of tries) expect((await visitor.send(s.members, fields)).status).toBe(403);
  const owners = await s.owner.send(s.members, { intent: "invite", role: "owner" });
  expect(owners.status).toBe(422);
});

it("An invitation link is not used up by a member, and lets no demo account in", async () => {
  const s = await scene();
  const path = await invite(s);
  expect((await s.owner.send(path, [])).status).toBe(409);
  const demo = await t.createUser({ demo: true });
  expect((await (await app.visitorOf(demo)).send(path, [])).status).toBe(403);
  expect((await app.request(path)).status).toBe(200);
});

it("With REGISTRATION=invite a link makes one account, which is in the product at once", async () => {
  const s = await scene();
  const path = await invite(s);
  const page = await (await app.request(path)).text();
  expect(page).toContain(`/register?redirectTo=${encodeURIComponent(path)}`);
  expect(page).toContain(`/login?redirectTo=${encodeURIComponent(path)}`);
  const answer = await register(app, path, "newcomer");
  expect(answer.headers.get("location")).toBe(`/products/${s.product.id}/backlog`);
  expect(answer.headers.get("set-cookie")).toContain("session=");
  const account = await accountOf("newcomer");
  expect(account && (await roleOf(s, account))).toBe("MEMBER");
  expect((await register(app, path, "second")).status).toBe(404);
  expect(await accountOf("second")).toBeUndefined();
});

it("With REGISTRATION=invite a link registers one of two at once, and is free again after a refusal", async () => {
  const s = await scene();
  const path = await invite(s);
  expect((await register(app, path, s.ada.username)).status).toBe(422);
  const answers = await Promise.all(["twin-one", "twin-two"].map((n) => register(app, path, n)));
  expect(answers.filter(({ status }) => status === 303)).toHaveLength(1);
  const made = [await accountOf("twin-one"), await accountOf("twin-two")].filter(Boolean);
  expect(made).toHaveLength(1);
});

it("No one registers without a valid invitation link, nor with one where registration is closed", async () => {
  await t.query`delete from rate_limit_counters where action = 'registration'`;
  expect((await register(app, "/dashboard", "nobody")).status).toBe(403);
  expect((await register(app, `/join/${"a".repeat(43)}`, "nobody")).status).toBe(404);
  const closed = await startTestApp(t, { pages: true, variables: { REGISTRATION: "closed" } });
  const path = await invite(await scene());
  expect((await register(closed, path, "nobody")).status).toBe(403);
  expect(await (await closed.request(path)).text()).toContain("Registration is closed");
  expect(await accountOf("nobody")).toBeUndefined();
});

const ask = ({ owner, members, bob }: Scene, role = "member") =>
  owner.send(members, { intent: "add", identifier: bob.email, role });

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

it("At most ten invitations of one owner wait in the inbox of a user", async () => {
  const s = await scene();
  await t.query`with made as (
      insert into public.products (owner_id, code, name) select ${s.ada.id}, 'P' || n, 'One' from generate_series(1, 10) n returning id)
    insert into public.product_invitations (product_id, role, invited_user_id, created_by)
    select id, 'MEMBER', ${s.bob.id}, ${s.ada.id} from made`;
  expect(await (await ask(s)).text()).toContain("Ten of your invitations wait");
  await s.guest.submit("/inbox", "decline");
  expect((await ask(s)).status).toBe(303);
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
    const late = await s.guest.send("/inbox?show=invitations", { intent: "accept", invitation_id: rows[0].id });
    expect([403, 404]).toContain(late.status);
    expect(await roleOf(s, s.bob)).toBeUndefined();
  }
});

it("Only the invited user can accept an invitation, and no stranger can invite", async () => {
  const s = await scene();
  await ask(s);
  const rows = await t.query`select id from product_invitations where product_id = ${s.product.id}`;
  const eve = await t.createUser();
  const stranger = await app.visitorOf(eve);
  const fields = { intent: "accept", invitation_id: rows[0].id };
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
