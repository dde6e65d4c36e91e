import { createHmac } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createAccount } from "~/nouns/accounts/create-account.server";
import { startTestApp } from "../setup/app";
import { createTestDatabase } from "../setup/database";
import { authProgram } from "../setup/supabase-auth";
import { at } from "../setup/world";
import { type LeakedPasswords, serveLeakedPasswords } from "./leaked-passwords";

/**
 * What Supabase Auth itself does at our forms, in settings that the stand-in does not have. With SUPABASE_AUTH_PROGRAM
 * only; the recorded answers of `auth-answers.test.ts` hold without it.
 */
describe.runIf(authProgram !== undefined)("Supabase Auth itself", () => {
  const person = {
    username: "lovelace",
    email: "lovelace@example.com",
    password: "a long enough secret",
  };

  describe("in a project that confirms addresses", () => {
    const confirming = project({ GOTRUE_MAILER_AUTOCONFIRM: "false" });

    it("lets no one in before the link in the message is followed", async () => {
      const { mails, post, app, t } = confirming();
      expect((await post("/register", person)).location).toContain("notice=confirm");
      await expect.poll(() => mails()).toHaveLength(1);
      const early = await post("/login", { identifier: "lovelace", password: person.password });
      expect([early.status, early.text.includes("not confirmed yet")]).toEqual([403, true]);
      const followed = await t.supabase.fetch(at(mails(), 0), { redirect: "manual" });
      expect(followed.status).toBe(303);
      expect(followed.headers.get("location")).toContain(`${app.services.env.appOrigin}/login`);
      const later = await post("/login", { identifier: "lovelace", password: person.password });
      expect(later.status).toBe(303);
    });

    it("answers a second registration of an address like the first, and makes no second account", async () => {
      const { t, post } = confirming();
      const again = await post("/register", { ...person, username: "someone-else" });
      expect([again.status, again.location?.includes("notice=confirm")]).toEqual([303, true]);
      const rows = await t.query`select username from public.users where email = ${person.email}`;
      expect(rows).toEqual([{ username: "lovelace" }]);
    });
  });

  describe("in a project with rules for passwords", () => {
    const strict = project({
      GOTRUE_PASSWORD_REQUIRED_CHARACTERS: "abcdefghijklmnopqrstuvwxyz:0123456789",
    });
    const strong = { ...person, password: "a long enough secret 7" };

    it("refuses a weak password with what to do", async () => {
      const { post } = strict();
      const { status, text } = await post("/register", person);
      expect([status, text.includes("longer or less common")]).toEqual([422, true]);
      expect((await post("/register", strong)).status).toBe(303);
    });

    it("refuses an address that has an account, at the field", async () => {
      const { status, text } = await strict().post("/register", { ...strong, username: "hopper" });
      expect([status, text.includes("exists already")]).toEqual([422, true]);
    });

    it("refuses a weak new password at recovery, and a strong one with a new link is kept", async () => {
      const { t, post, mails } = strict();
      const user = await t.createUser({ username: "hamilton" });
      const recover = async (password: string) => {
        const before = mails().length;
        await post("/recover", { email: user.email });
        await expect.poll(() => mails().length).toBe(before + 1);
        const proof = new URL(at(mails(), before)).searchParams.get("token") ?? "";
        // The message is sent before the token is committed.
        const isCommitted = () => t.query`select from auth.users where recovery_token = ${proof}`;
        await expect.poll(async () => (await isCommitted()).length).toBe(1);
        return post("/recover", { proof_kind: "token_hash", proof, new_password: password });
      };
      const weak = await recover("letters and nothing else");
      expect([weak.status, weak.text.includes("less common")]).toEqual([422, true]);
      expect((await recover("letters and 7 digits")).status).toBe(303);
      const signIn = { identifier: "hamilton", password: "letters and 7 digits" };
      expect((await post("/login", signIn)).status).toBe(303);
    });

    it("answers a locked account like a wrong password, ends its access, and lets it in when the lock is over", async () => {
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

    it("lets no one in by the password alone who has a second factor", async () => {
      const { t, post } = strict();
      const user = await t.createUser({ username: "liskov" });
      const client = t.database.signInClient("127.0.0.1");
      await client.auth.signInWithPassword({ email: user.email, password: user.password });
      const { data: factor } = await client.auth.mfa.enroll({ factorType: "totp" });
      if (factor?.type !== "totp") throw new Error("Auth enrolled no factor");
      const code = oneTimeCode(factor.totp.secret);
      const verified = await client.auth.mfa.challengeAndVerify({ factorId: factor.id, code });
      expect(verified.error).toBeNull();
      const { status, text } = await post("/login", {
        identifier: "liskov",
        password: user.password,
      });
      expect([status, text.includes("has a second factor")]).toEqual([403, true]);
    });

    it("forgets a deleted account and frees its names", async () => {
      const { t, post } = strict();
      const user = await t.createUser({ username: "engelbart" });
      const { error } = await t.database.secretClient.auth.admin.deleteUser(user.id);
      expect(error).toBeNull();
      const signIn = { identifier: "engelbart", password: user.password };
      expect((await post("/login", signIn)).status).toBe(401);
      const again = { ...strong, username: "engelbart", email: user.email };
      expect((await post("/register", again)).status).toBe(303);
    });
  });

  describe("in a project that refuses leaked passwords", () => {
    const leaked = { ...person, password: "correct horse battery staple" };
    let list: LeakedPasswords;
    const careful = project(async () => {
      list = await serveLeakedPasswords([leaked.password]);
      return {
        GOTRUE_PASSWORD_HIBP_ENABLED: "true",
        GOTRUE_PASSWORD_HIBP_FAIL_CLOSED: "true",
        ...list.settings,
      };
    });
    afterAll(() => list.stop());

    it("refuses one at registration and as a new password, and takes another", async () => {
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

    it("makes no account while the list does not answer, and tells nothing of what failed", async () => {
      const { t, post } = careful();
      await list.stop();
      const other = { ...person, username: "hopper", email: "hopper@example.com" };
      const { status, text } = await post("/register", other);
      expect([status, text.includes("HaveIBeenPwned")]).toEqual([500, false]);
      expect(text).toContain("Try again");
      const { rows } = await t.sql.query("select email from auth.users");
      expect(rows).toEqual([{ email: person.email }]);
    });
  });

  describe("in a project without sign-ups", () => {
    const closed = project({ GOTRUE_DISABLE_SIGNUP: "true" });

    it("says that they are off, and the operator can still make accounts", async () => {
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

    it("says so at registration and at sign-in", async () => {
      const { t, post } = without();
      const user = await t.createUser();
      const signIn = { identifier: user.username, password: user.password };
      const answers = [await post("/register", person), await post("/login", signIn)];
      for (const { status, text } of answers) {
        expect([status, text.includes("switched off in Supabase Auth")]).toEqual([503, true]);
      }
    });
  });

  describe("in a project that may send one message", () => {
    const sparing = project({
      GOTRUE_MAILER_AUTOCONFIRM: "false",
      GOTRUE_RATE_LIMIT_EMAIL_SENT: "1",
    });

    it("refuses the second with what to do", async () => {
      const { post } = sparing();
      await post("/register", person);
      const second = { ...person, username: "hopper", email: "hopper@example.com" };
      const { status, text } = await post("/register", second);
      expect([status, text.includes("Too many tries")]).toEqual([429, true]);
    });
  });
});

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
  const supabase = {
    url: "https://project.example",
    publishableKey: "",
    secretKey: "",
    dbUrl: undefined,
    dbConnections: 4,
  };
  const app = await startTestApp(t, { pages: true, env: { supabase } });
  const post = async (path: string, fields: Record<string, string>) => {
    const response = await app.submit(path, fields);
    const location = response.headers.get("location");
    return { status: response.status, location, text: await response.text() };
  };
  const mails = () => t.mails.map((mail) => linkIn(mail.text));
  return { t, app, post, mails };
}

/** The address that a message leads to. */
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
