import { createHmac, randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { basename, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createAccount } from "~/nouns/accounts/create-account.server";
import { createInvitation } from "~/nouns/products/invitations.server";
import { addPerson, clientId, clientSecret, startProvider, type TestProvider, travel } from "../accounts/oidc-provider";
import { hostedProject, startTestApp, type TestApp } from "../setup/app";
import { atTheEnd } from "../setup/at-the-end";
import { createTestDatabase, type TestDatabase } from "../setup/database";
import { createVisitor } from "../setup/page-forms";
import { portOf } from "../setup/port-of";
import { authProgram } from "../setup/supabase-auth";
import { at } from "../setup/world";
import { type LeakedPasswords, serveLeakedPasswords } from "./leaked-passwords";

/**
 * What Supabase Auth itself does at our forms, in settings that the stand-in does not have. With SUPABASE_AUTH_PROGRAM
 * only; the recorded answers of `auth-answers.test.ts` hold without it.
 */
describe.runIf(authProgram !== undefined)("Supabase Auth itself", () => {
  const person = { username: "lovelace", email: "lovelace@example.com", password: "a long enough secret" };

  describe("in a project that confirms addresses", () => {
    const confirming = project({ GOTRUE_MAILER_AUTOCONFIRM: "false" });

    it("No one gets in before they follow the link in the message and choose a password", async () => {
      const { mails, post, follow } = confirming();
      const asked = await post("/register", person);
      expect(asked.location).toContain("notice=confirm");
      const signIn = { identifier: "lovelace", password: person.password };
      expect((await post("/login", signIn)).status).toBe(401);
      await expect.poll(() => mails()).toHaveLength(1);
      const proof = await follow(at(mails(), 0));
      expect((await post("/login", signIn)).status).toBe(401);
      const elsewhere = await post("/recover", { ...proof, new_password: person.password });
      expect(elsewhere.status, "in another browser").toBe(422);
      const saved = await post("/recover", { ...proof, new_password: person.password }, asked.cookie);
      expect([saved.status, saved.location]).toEqual([303, "/login?notice=reset"]);
      expect((await post("/login", signIn)).status).toBe(303);
    });

    it("A second registration of an address is answered like the first and makes no second account", async () => {
      const { t, post } = confirming();
      const again = await post("/register", { ...person, username: "someone-else" });
      expect([again.status, again.location?.includes("notice=confirm")]).toEqual([303, true]);
      expect(again.cookie).toContain("recover_");
      const rows = await t.query`select username from public.users where email = ${person.email}`;
      expect(rows).toEqual([{ username: "lovelace" }]);
    });

    it("An address belongs to who reads its messages, not to who registers it before or after", async () => {
      const { t, post, mails, follow } = confirming();
      const before = mails().length;
      const names = ["attacker", "owner", "attacker"];
      const asked = [];
      for (const username of names) {
        const given = { username, email: "owner@example.com", password: `secret of the ${username}` };
        asked.push(await post("/register", given));
      }
      expect(asked.map(({ status }) => status)).toEqual([303, 303, 303]);
      await expect.poll(() => mails()).toHaveLength(before + 3);
      const rows = await t.query`select username from public.users where email = 'owner@example.com'`;
      expect(rows).toEqual([{ username: "attacker" }]);
      const proof = await follow(at(mails(), before + 2));
      const new_password = "chosen by the owner";
      await post("/recover", { ...proof, new_password }, asked.at(-1)?.cookie);
      for (const username of names) {
        const password = `secret of the ${username}`;
        const signIn = { identifier: "owner@example.com", password };
        expect((await post("/login", signIn)).status, username).toBe(401);
      }
      const signIn = { identifier: "owner@example.com", password: new_password };
      expect((await post("/login", signIn)).status).toBe(303);
    });
  });

  describe("in a project with rules for passwords", () => {
    const strict = project({ GOTRUE_PASSWORD_REQUIRED_CHARACTERS: "abcdefghijklmnopqrstuvwxyz:0123456789" });
    const strong = { ...person, password: "a long enough secret 7" };

    it("A weak password is refused at registration with what to do", async () => {
      const { post } = strict();
      const { status, text } = await post("/register", person);
      expect([status, text.includes("longer or less common")]).toEqual([422, true]);
      expect((await post("/register", strong)).status).toBe(303);
    });

    it("An address that has an account is refused at registration, at its field", async () => {
      const { status, text } = await strict().post("/register", { ...strong, username: "hopper" });
      expect([status, text.includes("exists already")]).toEqual([422, true]);
    });

    it("A weak new password is refused at recovery, and a strong one is taken with the same link", async () => {
      const { t, post, mails } = strict();
      const user = await t.createUser({ username: "hamilton" });
      const before = mails().length;
      await post("/recover", { email: user.email });
      await expect.poll(() => mails().length).toBe(before + 1);
      const proof = new URL(at(mails(), before)).searchParams.get("token") ?? "";
      // The message is sent before the token is committed.
      const isCommitted = () => t.query`select from auth.users where recovery_token = ${proof}`;
      await expect.poll(async () => (await isCommitted()).length).toBe(1);
      const choose = (new_password: string, cookie?: string) =>
        post("/recover", { proof_kind: "token_hash", proof, new_password }, cookie);
      const weak = await choose("letters and nothing else");
      expect([weak.status, weak.text.includes("less common")]).toEqual([422, true]);
      expect((await choose("letters and 7 digits")).status, "another browser").toBe(422);
      expect((await choose("letters and 7 digits", weak.cookie)).status).toBe(303);
      const signIn = { identifier: "hamilton", password: "letters and 7 digits" };
      expect((await post("/login", signIn)).status).toBe(303);
    });

    it("A locked account loses its access, is answered like a wrong password, and gets in after the lock", async () => {
      const { t, post, app } = strict();
      const user = await t.createUser({ username: "kay" });
      const signIn = { identifier: "kay", password: user.password };
      const lock = (duration: string) =>
        t.database.secretClient.auth.admin.updateUserById(user.id, { ban_duration: duration });
      const headers = await t.bearerOf(user);
      const ask = async () => (await app.request("/api/products", { headers })).status;
      expect(await ask()).toBe(200);
      await lock("1h");
      expect(await ask()).toBe(401);
      const locked = await post("/login", signIn);
      expect([locked.status, locked.text.includes("password is wrong")]).toEqual([401, true]);
      await lock("none");
      expect((await post("/login", signIn)).status).toBe(303);
    });

    it("Someone who has a second factor does not get in by the password alone", async () => {
      const { t, post } = strict();
      const user = await t.createUser({ username: "liskov" });
      const client = t.database.signInClient("127.0.0.1");
      await client.auth.signInWithPassword({ email: user.email, password: user.password });
      const { data: factor } = await client.auth.mfa.enroll({ factorType: "totp" });
      if (factor?.type !== "totp") throw new Error("Auth enrolled no factor");
      const code = oneTimeCode(factor.totp.secret);
      const verified = await client.auth.mfa.challengeAndVerify({ factorId: factor.id, code });
      expect(verified.error).toBeNull();
      const { status, text } = await post("/login", { identifier: "liskov", password: user.password });
      expect([status, text.includes("has a second factor")]).toEqual([403, true]);
    });

    it("A deleted account is forgotten, and its names are free again", async () => {
      const { t, post } = strict();
      const user = await t.createUser({ username: "engelbart" });
      const { error } = await t.database.secretClient.auth.admin.deleteUser(user.id);
      expect(error).toBeNull();
      const signIn = { identifier: "engelbart", password: user.password };
      expect((await post("/login", signIn)).status).toBe(401);
      const again = { ...strong, username: "engelbart", email: user.email };
      expect((await post("/register", again)).status).toBe(303);
    });

    it("A soft deletion ends all access of an account, and a password set in the dashboard its sessions", async () => {
      const { t, app } = strict();
      const { admin } = t.database.secretClient.auth;
      const ways = [
        { ends: [302, 401], change: (id: string) => admin.deleteUser(id, true) },
        { ends: [302, 200], change: (id: string) => admin.updateUserById(id, { password: "set at the dashboard 1" }) },
      ];
      for (const { ends, change } of ways) {
        const user = await t.createUser();
        const [cookie, headers] = [await app.signIn(user), await t.bearerOf(user)];
        const ask = async () => [
          (await app.request("/settings", { headers: { cookie } })).status,
          (await app.request("/api/products", { headers })).status,
        ];
        expect(await ask()).toEqual([200, 200]);
        expect((await change(user.id)).error).toBeNull();
        expect(await ask()).toEqual(ends);
      }
    });

    it("The link of an invitation from Supabase's dashboard sets a password", async () => {
      const { t, app, post, mails } = strict();
      const before = mails().length;
      const email = "invited@example.com";
      const sent = await t.database.secretClient.auth.admin.inviteUserByEmail(email);
      expect(sent.error).toBeNull();
      await expect.poll(() => mails().length).toBe(before + 1);
      const proof = new URL(at(mails(), before)).searchParams.get("token") ?? "";
      const page = await app.request(`/recover?token_hash=${proof}&type=invite`);
      expect(await page.text()).toContain('value="invite"');
      const password = "letters and 7 digits";
      await post("/recover", { proof_kind: "invite", proof, new_password: password });
      expect((await post("/login", { identifier: email, password })).status).toBe(303);
    });
  });

  describe("in a project that refuses leaked passwords", () => {
    const leaked = { ...person, password: "correct horse battery staple" };
    let list: LeakedPasswords;
    const careful = project(async () => {
      list = await serveLeakedPasswords([leaked.password]);
      return { GOTRUE_PASSWORD_HIBP_ENABLED: "true", GOTRUE_PASSWORD_HIBP_FAIL_CLOSED: "true", ...list.settings };
    });
    afterAll(() => list.stop());

    it("A leaked password is refused at registration and as a new password, and another one is taken", async () => {
      const { t, post } = careful();
      const refused = await post("/register", leaked);
      expect([refused.status, refused.text.includes("longer or less common")]).toEqual([422, true]);
      expect((await post("/register", person)).status).toBe(303);
      const { rows } = await t.sql.query<{ id: string }>("select id from auth.users");
      const { error } = await t.database.secretClient.auth.admin.updateUserById(at(rows, 0).id, {
        password: leaked.password,
      });
      expect(error?.code).toBe("weak_password");
    });

    it("Registration makes no account while the list of leaked passwords is down, and does not name it", async () => {
      const { t, post } = careful();
      await list.stop();
      const other = { ...person, username: "hopper", email: "hopper@example.com" };
      const { status, text } = await post("/register", other);
      expect([status, text.includes("HaveIBeenPwned")]).toEqual([503, false]);
      expect(text).toContain("Try again");
      const { rows } = await t.sql.query("select email from auth.users");
      expect(rows).toEqual([{ email: person.email }]);
    });
  });

  describe("in a project without sign-ups", () => {
    const closed = project({ GOTRUE_DISABLE_SIGNUP: "true" });

    it("A project without sign-ups says so, and its operator can still make accounts", async () => {
      const { t, post } = closed();
      const { status, text } = await post("/register", person);
      expect([status, text.includes("New accounts are switched off here")]).toEqual([403, true]);
      await createAccount(t.database, person);
      const signIn = { identifier: "lovelace", password: person.password };
      expect((await post("/login", signIn)).status).toBe(303);
    });
  });

  describe("in a project without passwords", () => {
    const without = project({ GOTRUE_EXTERNAL_EMAIL_ENABLED: "false" });

    it("A project without passwords says so at registration and at sign-in", async () => {
      const { t, post } = without();
      const user = await t.createUser();
      const signIn = { identifier: user.username, password: user.password };
      const answers = [await post("/register", person), await post("/login", signIn)];
      for (const { status, text } of answers) {
        expect([status, text.includes("switched off in Supabase Auth")]).toEqual([503, true]);
      }
    });
  });

  describe("in a project set up as docs/supabase.md says", () => {
    const asWritten = project(async () => ({
      GOTRUE_DISABLE_SIGNUP: "true",
      GOTRUE_MAILER_AUTOCONFIRM: "false",
      ...(await serveTemplates()),
    }));

    it("A project set up as documented lets an invited colleague in, with the message read in another browser", async () => {
      const { t, openApp } = asWritten();
      const app = await openApp({ REGISTRATION: "invite" });
      const { product, code } = await inviteIn(t);
      const page = `/register?redirectTo=${encodeURIComponent(`/join/${code}`)}`;
      expect(await createVisitor(app, "").read(page)).not.toContain('type="password"');
      const given = { username: "colleague", email: "colleague@example.com" };
      await createVisitor(app, "").submit(page, null, given);
      await expect.poll(() => t.mails).toHaveLength(1);
      const { text, html } = at(t.mails, 0);
      const [, path = ""] = /href="[^"]*(\/recover\?token_hash=[^"]+)"/.exec(html ?? text) ?? [];
      const elsewhere = createVisitor(app, "");
      const new_password = "chosen in another browser";
      expect(await elsewhere.submit(path, null, { new_password })).toBe("/login?notice=reset");
      const answer = await app.submit("/login", { identifier: "colleague", password: new_password });
      expect(answer.headers.get("location")).toBe(`/products/${product.id}/backlog`);
      const [cookie = ""] = cookiesOf(answer).split("; ");
      await createVisitor(app, cookie).read(`/products/${product.id}/backlog`);
    });
  });

  describe("in a project that may send one message", () => {
    const sparing = project({ GOTRUE_MAILER_AUTOCONFIRM: "false", GOTRUE_RATE_LIMIT_EMAIL_SENT: "1" });

    it("A message beyond the limit of Supabase Auth is refused with what to do, and the address stays free", async () => {
      const { post } = sparing();
      await post("/register", person);
      const second = { ...person, username: "hopper", email: "hopper@example.com" };
      const { status, text } = await post("/register", second);
      expect([status, text.includes("as many messages as it may")]).toEqual([429, true]);
      const rows = await sparing().t.query`select username from public.users`;
      expect(rows, "the address stays free").toEqual([{ username: "lovelace" }]);
    });
  });
});

/** Every way to an account. Without the program, only with the settings of its stand-in. */
const settingsOfAuth = [
  { signUps: true, confirms: false },
  { signUps: true, confirms: true },
  { signUps: false, confirms: false },
  { signUps: false, confirms: true },
].slice(0, authProgram ? 4 : 1);
const waysIn = (["open", "invite", "closed"] as const).flatMap((registration) =>
  [true, false].flatMap((isInvited) => [true, false].map((bySso) => ({ registration, isInvited, bySso }))),
);

describe.each(settingsOfAuth)("an account, sign-ups $signUps, Confirm email $confirms", (set) => {
  const there = project({
    GOTRUE_DISABLE_SIGNUP: String(!set.signUps),
    GOTRUE_MAILER_AUTOCONFIRM: String(!set.confirms),
  });
  let provider: TestProvider;
  let apps: Record<(typeof waysIn)[number]["registration"], TestApp>;
  beforeAll(async () => {
    provider = await startProvider();
    const open = (REGISTRATION: string) =>
      there().openApp({
        REGISTRATION,
        OIDC_ISSUER: provider.issuer,
        OIDC_CLIENT_ID: clientId,
        OIDC_CLIENT_SECRET: clientSecret,
      });
    apps = { open: await open("open"), invite: await open("invite"), closed: await open("closed") };
    provider.serve(Object.values(apps));
  });

  it.each(waysIn)("Only those let in get an account: $registration, invited $isInvited, SSO $bySso", async (way) => {
    const { t, mails, follow } = there();
    await t.query`delete from rate_limit_counters`;
    const app = apps[way.registration];
    const { product, code } = await inviteIn(t);
    const path = way.isInvited ? `/join/${code}` : "/";
    const isLetIn =
      way.registration === "open"
        ? way.bySso || way.isInvited || set.signUps
        : way.registration === "invite" && way.isInvited;
    const enter = async (username: string) => {
      const email = `${username}@example.com`;
      if (way.bySso) {
        const { sub } = addPerson(provider, { email, preferred_username: username });
        const trip = { path: `/auth/oidc?redirectTo=${encodeURIComponent(path)}` };
        return (await travel(app, provider, sub, trip)).response;
      }
      const password = "a long enough secret";
      const before = mails().length;
      const asked = await app.submit("/register", { username, email, password, redirectTo: path });
      if (!set.confirms || asked.status !== 303) return asked;
      await expect.poll(() => mails()).toHaveLength(before + 1);
      const chosen = await app.submit(
        "/recover",
        { ...(await follow(at(mails(), before))), new_password: password },
        { cookie: cookiesOf(asked) },
      );
      expect(chosen.headers.get("location")).toBe("/login?notice=reset");
      return app.submit("/login", { identifier: username, password });
    };
    const username = `way-${randomUUID().slice(0, 8)}`;
    const answer = await enter(username);
    const rows = await t.query`select m.role from users u left join product_members m
    on m.user_id = u.id and m.product_id = ${product.id} where u.username = ${username}`;
    if (!isLetIn) {
      expect([answer.status, rows]).toEqual([403, []]);
      return;
    }
    expect(rows).toEqual([{ role: way.isInvited ? "MEMBER" : null }]);
    const start = way.isInvited ? `/products/${product.id}/backlog` : "/";
    expect(answer.headers.get("location")).toBe(start);
    if (way.isInvited) expect((await enter(`${username}-2`)).status, "used once").toBe(404);
  });
});

/** The templates of messages that the documents ask for, where Auth reads them. */
async function serveTemplates(): Promise<Settings> {
  const folder = join(import.meta.dirname, "../../supabase/templates");
  const server = createServer((request, response) => {
    readFile(join(folder, basename(request.url ?? ""))).then((text) => response.end(text));
  });
  atTheEnd(async () => void server.close());
  const origin = `http://127.0.0.1:${await portOf(server)}`;
  return {
    GOTRUE_MAILER_TEMPLATES_RECOVERY: `${origin}/password.html`,
    GOTRUE_MAILER_TEMPLATES_INVITE: `${origin}/invite.html`,
  };
}

async function inviteIn(t: TestDatabase) {
  const owner = await t.createUser();
  const product = await t.seedProduct(owner);
  const given = { product_id: product.id, role: "MEMBER" } as const;
  return { product, ...(await createInvitation(t.actorOf(owner), given)) };
}

type Settings = Record<string, string>;

/** A project with these settings of Auth, and what a person does there. */
function project(auth: Settings | (() => Promise<Settings>)) {
  let made: Awaited<ReturnType<typeof openProject>>;
  beforeAll(async () => {
    made = await openProject(typeof auth === "function" ? await auth() : auth);
  });
  return () => made;
}

async function openProject(auth: Record<string, string>) {
  const t = await createTestDatabase({ auth });
  const openApp = (variables: Settings) => startTestApp(t, { pages: true, env: hostedProject, variables });
  const app = await openApp({});
  const post = async (path: string, fields: Record<string, string>, cookie = "") => {
    const response = await app.submit(path, fields, { cookie });
    const location = response.headers.get("location");
    const text = await response.text();
    return { status: response.status, location, text, cookie: cookiesOf(response) };
  };
  const mails = () => t.mails.map((mail) => linkIn(mail.text));
  /** What the link of a message leads back to the page with. */
  const follow = async (link: string) => {
    const followed = await t.supabase.fetch(link, { redirect: "manual" });
    const back = new URL(followed.headers.get("location") ?? "");
    return { proof_kind: "code", proof: back.searchParams.get("code") ?? "" };
  };
  return { t, app, openApp, post, mails, follow };
}

function cookiesOf(response: Response): string {
  return response.headers
    .getSetCookie()
    .map((line) => line.split(";")[0])
    .join("; ");
}

function linkIn(text: string): string {
  return /https?:[^\s"')>\]]+verify\?[^\s"')>\]]+/.exec(text)?.[0].replaceAll("&amp;", "&") ?? "";
}

/** What an authenticator app shows now for a secret in base32: six digits of an HMAC over the half minutes since 1970. */
function oneTimeCode(secret: string): string {
  const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
  const bits = [...secret].map((letter) => alphabet.indexOf(letter).toString(2).padStart(5, "0"));
  const key = Buffer.from(
    bits
      .join("")
      .match(/.{8}/g)
      ?.map((byte) => Number.parseInt(byte, 2)) ?? [],
  );
  const time = Buffer.alloc(8);
  time.writeBigUInt64BE(BigInt(Math.floor(Date.now() / 30_000)));
  const digest = createHmac("sha1", key).update(time).digest();
  const number = digest.readUInt32BE((digest.at(-1) ?? 0) & 15) & 0x7fffffff;
  return String(number % 1_000_000).padStart(6, "0");
}
