import { expect, it } from "vitest";
import { checkIdentities } from "~/nouns/identities/check-identities.server";
import { createProduct } from "~/nouns/products/operations.server";
import { getAccess, listTools, postForm, refreshment } from "../oauth/program";
import { startTestApp } from "../setup/app";
import { createTestDatabase } from "../setup/database";
import { bearer } from "../setup/world";
import { addPerson, clientId, clientSecret, startProvider, travel } from "./oidc-provider";

const t = await createTestDatabase();
const provider = await startProvider();
const app = await startTestApp(t, {
  pages: true,
  variables: {
    OIDC_ISSUER: provider.issuer,
    OIDC_CLIENT_ID: clientId,
    OIDC_CLIENT_SECRET: clientSecret,
    OIDC_ADMIN_CLAIM: "groups=backlog-admins",
    REGISTRATION: "open",
  },
});
provider.serve([app]);

async function check(sessionSecrets = app.services.env.sessionSecrets): Promise<void> {
  const { database, log, env } = app.services;
  if (!env.oidc) throw new Error("no provider");
  const { oidc: settings } = env;
  await checkIdentities({ database, log, settings, sessionSecrets });
}

/** Twenty-one minutes go by for anyone who was asked about, or is being asked about. */
const letTimePass = () =>
  t.query`update account_identities set checked_at = checked_at - interval '21 minutes',
    asked_until = asked_until - interval '21 minutes'`;

/** So many hours go by for one person. */
async function letHoursPass({ sub, user }: Insider, hours: number): Promise<void> {
  const earlier = `interval '${hours} hours'`;
  await t.sql.query(`update account_identities set checked_at = checked_at - ${earlier} where subject = $1`, [sub]);
  await t.sql.query(`update user_sessions set created_at = created_at - ${earlier} where user_id = $1`, [user.id]);
}

async function insider() {
  const { sub, email } = addPerson(provider);
  const { cookie } = await travel(app, provider, sub);
  const rows = await t.query`select u.id, u.username, u.email from users u
    join account_identities i on i.account = u.id where i.subject = ${sub}`;
  const user = { ...rows[0], password: "" };
  const code = `P${sub.slice(0, 4)}`.toUpperCase();
  const product = await createProduct(t.actorOf(user), { code, name: "Shop" });
  const token = await t.createToken(user);
  const worker = await t.createToken(user);
  const choice = { products: [product.id], scopes: ["read", "work"] };
  const program = await getAccess({ app, user }, choice);
  return { sub, email, user, cookie: cookie ?? "", token, worker, program };
}

type Insider = Awaited<ReturnType<typeof insider>>;

/** The statuses of session, token, grant and worker. */
async function access({ cookie, token, worker, program }: Insider) {
  const answers = await Promise.all([
    app.request("/settings", { headers: { cookie } }),
    app.request("/api/products", { headers: bearer(token) }),
    listTools(app, program.tokens.access_token),
    listTools(app, worker, "/mcp/worker"),
  ]);
  return answers.map(({ status }) => status);
}

const inside = [200, 200, 200, 200];
const outside = [302, 401, 401, 401];

it("An account that ended at the provider has no access after the next check, not even by password", async () => {
  const [leaver, colleague] = [await insider(), await insider()];
  expect(await access(leaver)).toEqual(inside);
  await t.sql.query("insert into push_subscriptions (user_id, endpoint, p256dh, auth) values ($1, $2, 'a', 'b')", [
    leaver.user.id,
    `https://push.example/${leaver.sub}`,
  ]);
  provider.people.delete(leaver.sub);
  await check();
  expect(await access(leaver), "not due yet").toEqual(inside);

  await letTimePass();
  await check();
  expect(await access(leaver)).toEqual(outside);
  const slipped = await t.createToken(leaver.user);
  await check();
  expect(await access({ ...leaver, token: slipped }), "made at that moment").toEqual(outside);
  const told = "select from push_subscriptions where user_id = $1";
  expect((await t.sql.query(told, [leaver.user.id])).rowCount).toBe(0);
  const renewed = await postForm(app, "/token", refreshment(leaver.program.clientId, leaver.program.tokens));
  expect(renewed.status).toBe(400);
  expect(await access(colleague)).toEqual(inside);

  const password = "a password from before";
  const { error } = await t.database.secretClient.auth.admin.updateUserById(leaver.user.id, { password });
  expect(error).toBeNull();
  const login = () => app.submit("/login", { identifier: leaver.user.username, password });
  const refused = await login();
  expect(refused.status).toBe(403);
  expect(await refused.text()).toContain("Sign in through the provider again");

  provider.people.set(leaver.sub, { email: leaver.email, email_verified: true });
  const back = await travel(app, provider, leaver.sub);
  expect(await access({ ...leaver, cookie: back.cookie ?? "" })).toEqual([200, 401, 401, 401]);
  expect((await login()).status).toBe(303);
});

it("An account is checked at the provider again and again, each time by one of two processes", async () => {
  const person = await insider();
  for (let round = 1; round <= 3; round += 1) {
    await letTimePass();
    const before = provider.counts.renewals;
    await Promise.all([check(), check()]);
    const rows = await t.query`select count(*)::int from account_identities where ended_at is null`;
    expect(provider.counts.renewals - before).toBe(rows[0].count);
    expect(await access(person), `round ${round}`).toEqual(inside);
  }
});

it("An account stays while the provider is away, and ends once the provider answers that it is gone", async () => {
  const person = await insider();
  await letTimePass();
  provider.now.isAway = true;
  await expect(check()).rejects.toThrow();
  provider.now.isAway = false;
  expect(await access(person)).toEqual(inside);
  provider.people.delete(person.sub);
  await letTimePass();
  await check();
  expect(await access(person)).toEqual(outside);
});

it("After SESSION_SECRET was replaced, an account is checked again from its next sign-in on", async () => {
  const person = await insider();
  await letTimePass();
  await check(["quite another secret of this installation"]);
  expect(await access(person)).toEqual(inside);
  const rows = await t.query`select refresh_token from account_identities where subject = ${person.sub}`;
  expect(rows).toEqual([{ refresh_token: null }]);
  await travel(app, provider, person.sub);
  provider.people.delete(person.sub);
  await letTimePass();
  await check();
  expect(await access(person)).toEqual(outside);
});

it("An account without a refresh token signs in again within OIDC_RECHECK_HOURS, or ends", async () => {
  provider.now.givesRefreshTokens = false;
  const person = await insider();
  expect(app.logLines.join("\n")).toContain("gives no refresh token");
  await letHoursPass(person, 83);
  await check();
  expect(await access(person)).toEqual(inside);
  await letHoursPass(person, 2);
  await check();
  expect(await access(person), "half of seven days").toEqual([302, 200, 200, 200]);

  const { cookie } = await travel(app, provider, person.sub);
  const here = { ...person, cookie: cookie ?? "" };
  await letHoursPass(person, 83);
  await check();
  expect(await access(here), "signed in again").toEqual(inside);
  await letHoursPass(person, 86);
  await Promise.all([check(), check()]);
  expect(await access(here), "seven days").toEqual(outside);
  const ends = "select from audit_events where user_id = $1 and kind = 'identity.ended'";
  expect((await t.sql.query(ends, [person.user.id])).rowCount).toBe(1);

  const back = await travel(app, provider, person.sub);
  provider.now.givesRefreshTokens = true;
  expect(await access({ ...person, cookie: back.cookie ?? "" })).toEqual([200, 401, 401, 401]);
});

it("An administrator loses the role at the next check when the provider's claim is gone", async () => {
  await t.createUser({ role: "ADMIN" });
  const { sub, email } = addPerson(provider, { groups: ["backlog-admins"] });
  await travel(app, provider, sub);
  const role = async () => {
    const rows = await t.query`select role from users u join account_identities i
        on i.account = u.id where subject = ${sub}`;
    return rows[0].role;
  };
  expect(await role()).toBe("ADMIN");
  provider.people.set(sub, { email, email_verified: true, groups: [] });
  await letTimePass();
  await check();
  expect(await role()).toBe("DEVELOPER");
});
