import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { EnvironmentError, readEnv } from "~/env.server";
import { resetPassword } from "~/nouns/accounts/passwords.server";
import { seal } from "~/nouns/identities/seal.server";
import { checkSignInProvider } from "~/server/check-sign-in.server";
import { startTestApp, type TestApp } from "../setup/app";
import { createTestDatabase } from "../setup/database";
import { createVisitor } from "../setup/page-forms";
import { bearer } from "../setup/world";
import { addPerson, clientId, clientSecret, type Person, startProvider, travel } from "./oidc-provider";

const t = await createTestDatabase();
const provider = await startProvider();
const variables = {
  SESSION_SECRET: "the same for all three apps of this test",
  OIDC_ISSUER: provider.issuer,
  OIDC_CLIENT_ID: clientId,
  OIDC_CLIENT_SECRET: clientSecret,
  OIDC_ALLOWED_DOMAINS: "example.com, example.net",
  OIDC_ADMIN_CLAIM: "groups=backlog-admins",
};
const appWith = (registration: string) =>
  startTestApp(t, { pages: true, variables: { ...variables, REGISTRATION: registration } });
const [open, invite, closed] = await Promise.all(["open", "invite", "closed"].map(appWith));
if (!open || !invite || !closed) throw new Error("three apps");
provider.serve([open, invite, closed]);

const person = (more: Partial<Person> = {}) => addPerson(provider, more);

async function accountOf(sub: string): Promise<string | undefined> {
  const rows = await t.query`select account from account_identities
    where issuer = ${provider.issuer} and subject = ${sub}`;
  return rows[0]?.account;
}

async function whoIs(app: TestApp, cookie: string | null): Promise<string> {
  const page = await app.request("/settings", { headers: { cookie: cookie ?? "" } });
  return page.status === 200 ? page.text() : "";
}

describe("signing in through the provider", () => {
  it("A first sign-in through the provider makes an account with a session, and the next one finds it", async () => {
    const { sub, email } = person({ preferred_username: "grace.hopper" });
    const path = "/auth/oidc?redirectTo=%2Fideas";
    const first = await travel(open, provider, sub, { path });
    expect(first.response.headers.get("location")).toBe("/ideas");
    expect(await whoIs(open, first.cookie)).toContain("grace.hopper");
    const account = await accountOf(sub);
    const rows = await t.query`select email, role from users where id = ${account}`;
    expect(rows).toEqual([{ email, role: "DEVELOPER" }]);
    expect(first.jar.has("oidc"), "what the browser kept is gone").toBe(false);

    provider.people.set(sub, { email: "renamed@example.net", email_verified: true });
    const second = await travel(closed, provider, sub);
    expect(await whoIs(open, second.cookie)).toContain("grace.hopper");
    expect(await accountOf(sub)).toBe(account);
  });

  it("The provider's refresh token is kept sealed, and its codes stay out of the log", async () => {
    const { sub } = person();
    await travel(open, provider, sub);
    const rows = await t.query`select refresh_token from account_identities where subject = ${sub}`;
    expect(rows[0].refresh_token).toMatch(/^eyJ[\w-]+\.\.[\w-]+\.[\w-]+\.[\w-]+$/);
    expect(open.logLines.join("\n")).not.toContain("code=");
  });

  const changes: [string, Parameters<typeof travel>[3], Record<string, string> | null][] = [
    ["state", { back: (address) => address.searchParams.set("state", "other") }, null],
    ["nonce", { there: (address) => address.searchParams.set("nonce", "other") }, null],
    ["verifier", { there: (address) => address.searchParams.set("code_challenge", "A".repeat(43)) }, null],
    ["issuer of the answer", { back: (a) => a.searchParams.set("iss", "https://evil.example") }, null],
    ["code", { back: (address) => address.searchParams.set("code", "other") }, null],
    ["nonce in the ID token", {}, { nonce: "other" }],
    ["issuer in the ID token", {}, { iss: "https://evil.example" }],
    ["audience in the ID token", {}, { aud: "somebody-else" }],
  ];
  it.each(changes)("A sign-in through the provider with a changed %s is refused", async (_name, trip, changed) => {
    const { sub } = person();
    provider.now.changes = changed;
    const { response, cookie } = await travel(open, provider, sub, trip);
    provider.now.changes = null;
    expect(response.status).toBe(401);
    expect(await response.text()).toContain("Start again from the sign-in page");
    expect(cookie).toBeNull();
    expect(await accountOf(sub)).toBeUndefined();
  });

  it("A provider's answer is refused in a browser that did not ask for it", async () => {
    const { sub } = person();
    let answer = "";
    await travel(open, provider, sub, { back: (address) => (answer = address.href) });
    const again = await fetch(answer, { redirect: "manual" });
    expect(again.status).toBe(401);
    expect(await again.text()).toContain("started in another browser");
  });

  it("A sign-in with an unverified address or another domain is refused and says what to do", async () => {
    const unverified = person({ email_verified: false });
    const first = await travel(open, provider, unverified.sub);
    expect(first.response.status).toBe(403);
    expect(await first.response.text()).toContain("Verify it there");
    const stranger = person({ email: `${randomUUID()}@example.org` });
    const second = await travel(open, provider, stranger.sub);
    expect(second.response.status).toBe(403);
    expect(await second.response.text()).toContain("@example.com or @example.net");
    for (const { sub } of [unverified, stranger]) expect(await accountOf(sub)).toBeUndefined();
  });

  it("A sign-in says so when the provider is not responding", async () => {
    const { sub } = person();
    provider.now.isAway = true;
    const away = await startTestApp(t, { pages: ["_auth", "_auth.auth.oidc._index"], variables });
    const answer = await away.request("/auth/oidc");
    provider.now.isAway = false;
    expect(answer.status).toBe(503);
    expect(await answer.text()).toContain("is not responding");
    expect((await travel(open, provider, sub)).cookie).not.toBeNull();
  });

  it("A misconfigured provider is named to people who sign in, and by the doctor", async () => {
    const app = await startTestApp(t, {
      pages: ["_auth", "_auth.auth.oidc._index", "_auth.auth.oidc.callback"],
      variables: { ...variables, OIDC_CLIENT_SECRET: "another one" },
    });
    provider.serve([open, invite, closed, app]);
    const { response } = await travel(app, provider, person().sub);
    expect(response.status).toBe(503);
    expect(await response.text()).toContain("misconfigured");
    const [fine] = await checkSignInProvider(open.services.env);
    expect(fine).toMatchObject({ ok: true, message: expect.stringContaining("/auth/oidc/callback") });
    const elsewhere = readEnv({ ...variables, OIDC_ISSUER: `${provider.issuer}/realm` });
    const [wrong] = await checkSignInProvider(elsewhere);
    expect(wrong).toMatchObject({ ok: false, message: expect.stringContaining("OIDC_ISSUER") });
  });
});

it.each([
  ["registered", "session.started"],
  ["made by an administrator", "user.configured"],
])("An account %s with the same address is connected, and all access from before ends", async (_how, kind) => {
  const mallory = await t.createUser();
  await t.query`insert into audit_events (user_id, kind) values (${mallory.id}, ${kind})`;
  const squatter = await open.signIn(mallory);
  const token = await t.createToken(mallory);
  const { sub } = person({ email: mallory.email.toUpperCase() });
  const { cookie } = await travel(closed, provider, sub);
  expect(await accountOf(sub)).toBe(mallory.id);
  expect(await whoIs(open, cookie)).toContain(mallory.username);
  expect(await whoIs(open, squatter), "a session from before").toBe("");
  expect((await open.request("/api/products", { headers: bearer(token) })).status).toBe(401);
  const byPassword = await open.submit("/login", { identifier: mallory.username, password: mallory.password });
  expect(byPassword.status).toBe(401);
});

it("An account with the same address is not given to one whose address the provider has not verified", async () => {
  const ada = await t.createUser();
  const { sub } = person({ email: ada.email, email_verified: false });
  expect((await travel(open, provider, sub)).response.status).toBe(403);
  expect(await accountOf(sub)).toBeUndefined();
});

it("An account is not given to a later holder of its address until an administrator disconnects it", async () => {
  const first = person();
  await travel(open, provider, first.sub);
  const account = await accountOf(first.sub);
  const later = person({ email: first.email });
  const { response, cookie } = await travel(open, provider, later.sub);
  expect(response.status).toBe(409);
  expect(await response.text()).toContain("Ask an administrator to reset its password");
  expect(cookie).toBeNull();
  const password = "a password for a while";
  await resetPassword(t.database, { identifier: first.email, password });
  await travel(open, provider, later.sub);
  expect(await accountOf(later.sub)).toBe(account);
  expect(await accountOf(first.sub)).toBeUndefined();
});

it("A sign-in that began ten minutes ago has expired, although its cookie was kept", async () => {
  const trip = {
    departure: { state: "s", nonce: "n", verifier: "v" },
    goTo: "/",
    connects: null,
    asksConsent: false,
    expires_at: Date.now() - 1,
  };
  const { sessionSecrets } = open.services.env;
  const sealed = await seal("departure", JSON.stringify(trip), sessionSecrets);
  const headers = { cookie: `oidc=${sealed}` };
  const answer = await open.request("/auth/oidc/callback?state=s&code=c", { headers });
  expect(answer.status).toBe(401);
  expect(await answer.text()).toContain("This sign-in expired");
});

it("A signed-in user connects the provider from the settings, and by no link from elsewhere", async () => {
  const [ada, bob] = [await t.createUser(), await t.createUser()];
  const cookie = await open.signIn(ada);
  const { sub } = person();
  const foreign = await open.request("/auth/oidc?connect=foreign", { headers: { cookie } });
  expect(foreign.headers.get("location")).toBe("/settings");

  const page = await createVisitor(open, cookie).read("/settings");
  const [path = ""] = /\/auth\/oidc\?connect=[\w.-]+/.exec(page) ?? [];
  const { response } = await travel(open, provider, sub, { cookie, path });
  expect(response.headers.get("location")).toBe("/settings");
  expect(await accountOf(sub)).toBe(ada.id);
  expect(await createVisitor(open, cookie).read("/settings")).toContain("Connected");

  const other = await open.signIn(bob);
  const [key = ""] = /\/auth\/oidc\?connect=[\w.-]+/.exec(await createVisitor(open, other).read("/settings")) ?? [];
  const taken = await travel(open, provider, sub, { cookie: other, path: key });
  expect(taken.response.status).toBe(409);
  expect(await accountOf(sub)).toBe(ada.id);
});

it("A provider's new user gets no account where registration is closed or needs an invitation", async () => {
  for (const app of [closed, invite]) {
    const { sub } = person();
    const { response, cookie } = await travel(app, provider, sub);
    expect(response.status).toBe(403);
    expect(await response.text()).toContain("Ask an administrator");
    expect(cookie).toBeNull();
    expect(await accountOf(sub)).toBeUndefined();
  }
});

it("A provider's new user with an invitation link gets an account, once, and is in the product", async () => {
  const ada = await t.createUser();
  const product = await t.seedProduct(ada);
  const owner = createVisitor(invite, await invite.signIn(ada));
  const answer = await owner.send(`/products/${product.id}/members`, { intent: "invite", role: "viewer" });
  const [link = ""] = /\/join\/[\w-]{43}/.exec(await answer.text()) ?? [];
  const path = `/auth/oidc?redirectTo=${encodeURIComponent(link)}`;
  const shown = await (await invite.request(link)).text();
  expect(shown).toContain(path.replaceAll("&", "&amp;"));

  const atClosed = person();
  expect((await travel(closed, provider, atClosed.sub, { path })).response.status).toBe(403);
  const { sub } = person();
  const { response } = await travel(invite, provider, sub, { path });
  expect(response.headers.get("location")).toBe(`/products/${product.id}/backlog`);
  const rows = await t.query`select role from product_members where product_id = ${product.id}
      and user_id = ${await accountOf(sub)}`;
  expect(rows).toEqual([{ role: "VIEWER" }]);
  const late = person();
  expect((await travel(invite, provider, late.sub, { path })).response.status).toBe(404);
  expect(await accountOf(late.sub)).toBeUndefined();
});

it("OIDC_ADMIN_CLAIM gives the administrator's role and takes it, but never from the last one", async () => {
  const roleOf = async (sub: string) => {
    const rows = await t.query`select role from users where id = ${await accountOf(sub)}`;
    return rows[0].role;
  };
  const { sub, email } = person({ groups: ["backlog-admins"] });
  await travel(open, provider, sub);
  expect(await roleOf(sub)).toBe("ADMIN");
  provider.people.set(sub, { email, email_verified: true, groups: ["others"] });
  await travel(open, provider, sub);
  expect(await roleOf(sub), "the last one").toBe("ADMIN");
  await t.createUser({ role: "ADMIN" });
  await travel(open, provider, sub);
  expect(await roleOf(sub)).toBe("DEVELOPER");
});

describe("the variables", () => {
  const wrong: [string, Record<string, string>][] = [
    ["OIDC_ISSUER", { OIDC_ISSUER: "http://id.example.org", OIDC_CLIENT_ID: "a" }],
    ["OIDC_ISSUER", { OIDC_ISSUER: "id.example.org", OIDC_CLIENT_ID: "a" }],
    ["OIDC_ISSUER", { OIDC_CLIENT_ID: "a" }],
    ["OIDC_CLIENT_ID", { OIDC_ISSUER: "https://id.example.org" }],
    ["OIDC_ALLOWED_DOMAINS", { ...variables, OIDC_ALLOWED_DOMAINS: "a b" }],
    ["OIDC_ADMIN_CLAIM", { ...variables, OIDC_ADMIN_CLAIM: "groups=" }],
    ["OIDC_RECHECK_HOURS", { ...variables, OIDC_RECHECK_HOURS: "0" }],
    ["OIDC_RECHECK_HOURS", { ...variables, OIDC_RECHECK_HOURS: "a week" }],
    ["OIDC_CLIENT_SECRET_FILE", { ...variables, OIDC_CLIENT_SECRET: "", OIDC_CLIENT_SECRET_FILE: "/none" }],
  ];
  it.each(wrong)("%s stops the start when it is wrong", (name, given) => {
    const start = () => readEnv(given);
    expect(start).toThrow(EnvironmentError);
    expect(start).toThrow(name);
  });
});
