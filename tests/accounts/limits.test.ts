import { beforeEach, describe, expect, it } from "vitest";
import { createApiToken, revokeApiToken } from "~/nouns/api-tokens/operations.server";
import { startTestApp } from "../setup/app";
import { createTestDatabase } from "../setup/database";
import { bearer } from "../setup/world";

const t = await createTestDatabase();
const pages = `_auth _auth.login _auth.register
  _app _app.settings _app.settings._index _app.settings.tokens`.split(/\s+/);
const app = await startTestApp(t, { pages, variables: { TRUST_PROXY: "loopback" } });

beforeEach(async () => {
  await t.query`truncate public.rate_limit_counters`;
});

function post(path: string, fields: Record<string, string>, address: string): Promise<Response> {
  return app.submit(path, fields, { "x-forwarded-for": address });
}

function data(path: string, route: string): string {
  return `${path}?_data=${encodeURIComponent(route)}`;
}

function countOf(statuses: readonly number[], status: number): number {
  return statuses.filter((one) => one === status).length;
}

describe("W1: the limits of the forms", () => {
  it("Login allows one address 10 tries a minute, however they fail, then answers 429 with Retry-After", async () => {
    const path = data("/login", "routes/_auth.login");
    const answers = await Promise.all(
      Array.from({ length: 30 }, (_, index) =>
        post(path, index % 2 ? { identifier: "" } : { identifier: `u${index}`, password: "x" }, "192.0.2.1"),
      ),
    );
    const statuses = answers.map(({ status }) => status);
    expect(countOf(statuses, 429)).toBe(20);
    expect(countOf(statuses, 401) + countOf(statuses, 422)).toBe(10);
    const refused = answers.find(({ status }) => status === 429);
    expect(await refused?.json()).toEqual({ error: expect.any(String), code: 429 });
    expect(Number(refused?.headers.get("retry-after"))).toBeGreaterThan(0);
    const elsewhere = await post(path, { identifier: "u", password: "x" }, "192.0.2.2");
    expect(elsewhere.status).toBe(401);
  });

  it("D8: Login allows an account 10 tries a minute from all addresses, then the right password waits too", async () => {
    const user = await t.createUser();
    const statuses: number[] = [];
    for (let index = 0; index < 12; index += 1) {
      const fields = { identifier: user.username, password: index < 11 ? "wrong" : user.password };
      statuses.push((await post("/login", fields, `192.0.2.${100 + index}`)).status);
    }
    expect(countOf(statuses, 401)).toBe(10);
    expect(countOf(statuses, 429)).toBe(2);
  });

  describe("of an account", () => {
    let host = 0;
    const elsewhere = () => `198.51.100.${++host}`;
    const logIn = (identifier: string, password: string, headers: Record<string, string> = {}) =>
      app.submit(
        data("/login", "routes/_auth.login"),
        { identifier, password },
        { "x-forwarded-for": elsewhere(), ...headers },
      );
    const guess = async (identifier: string, times: number) => {
      for (let done = 0; done < times; done += 1) {
        expect((await logIn(identifier, "wrong")).status).toBe(401);
      }
    };

    it("The login limit of an account counts failures only", async () => {
      const user = await t.createUser();
      await guess(user.username, 9);
      for (let index = 0; index < 4; index += 1) {
        expect((await logIn(user.username, user.password)).status).toBe(204);
      }
      await guess(user.username, 1);
      expect((await logIn(user.username, user.password)).status).toBe(429);
    });

    it("Logins beyond an account's limit are 429 alike, whether there is such a name or address or not", async () => {
      const user = await t.createUser();
      const answers = new Set<string>();
      for (const given of [user.username, user.email, "nobody-here", "nobody@example.com"]) {
        await guess(given, 10);
        for (const spelling of [given, given.toUpperCase()]) {
          const refused = await logIn(spelling, user.password);
          expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
          const text = (await refused.text()).replace(/\d+ seconds/g, "… seconds");
          answers.add(`${refused.status} ${text}`);
        }
      }
      expect([...answers]).toEqual([expect.stringMatching(/^429 {"error":".+","code":429}$/)]);
    });

    it("Logins by name and by address count together, and no answer tells that they are one account's", async () => {
      const user = await t.createUser();
      await guess(user.username, 10);
      const refused = await logIn(user.email, user.password);
      const unknown = await logIn("nobody@example.com", user.password);
      expect([refused.status, unknown.status]).toEqual([401, 401]);
      const said = (await unknown.text()).replace("nobody@example.com", user.email);
      expect(await refused.text()).toBe(said);
      await t.query`update public.rate_limit_counters set window_start = now() - interval '2 minutes'`;
      for (let index = 0; index < 12; index += 1) {
        expect((await logIn(user.email, user.password)).status).toBe(204);
      }
      await guess(user.email, 6);
      await guess(user.username, 4);
      expect((await logIn(user.username, user.password)).status).toBe(401);
    });

    it("A browser signed in to an account has its own login tries once the account's are used up", async () => {
      const user = await t.createUser();
      const cookie = await app.signIn(user);
      await guess(user.username, 10);
      expect((await logIn(user.username, user.password)).status).toBe(429);
      const stranger = await app.signIn(await t.createUser());
      expect((await logIn(user.username, user.password, { cookie: stranger })).status).toBe(429);
      for (let index = 0; index < 10; index += 1) {
        expect((await logIn(user.username, "wrong", { cookie })).status).toBe(401);
      }
      expect((await logIn(user.username, user.password, { cookie })).status).toBe(429);
      await t.query`delete from public.rate_limit_counters where key like 'session:%'`;
      expect((await logIn(user.username, user.password, { cookie })).status).toBe(204);
    });

    it("A user whose login tries are used up can still change the password", async () => {
      const user = await t.createUser();
      const cookie = await app.signIn(user);
      await guess(user.username, 10);
      const answer = await app.submit(
        "/settings?index",
        { intent: "password", current_password: user.password, new_password: "another long secret" },
        { cookie },
      );
      expect(answer.status).toBeLessThan(400);
      expect((await logIn(user.username, "another long secret", { cookie })).status).toBe(204);
    });
  });

  it("Registration allows one address 5 accounts an hour", async () => {
    const answers = await Promise.all(
      Array.from({ length: 25 }, (_, index) =>
        post(
          "/register",
          { username: `new-${index}`, email: `new-${index}@example.com`, password: "a long enough secret" },
          "192.0.2.3",
        ),
      ),
    );
    const statuses = answers.map(({ status }) => status);
    expect(countOf(statuses, 303)).toBe(5);
    expect(countOf(statuses, 429)).toBe(20);
  });

  it("A user can create 10 API tokens an hour", async () => {
    const user = await t.createUser();
    const outcomes = await Promise.allSettled(
      Array.from({ length: 30 }, () => createApiToken(t.actorOf(user), { label: "x" })),
    );
    expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(10);
    for (const outcome of outcomes) {
      if (outcome.status === "rejected") expect(outcome.reason).toMatchObject({ status: 429 });
    }
  });
});

describe("D8 and W2: login shows no one which accounts exist", () => {
  it("Login gives one answer for an unknown user, a wrong password and an unknown address", async () => {
    const user = await t.createUser();
    const bodies = new Set<string>();
    for (const identifier of [user.username, "nobody-here", user.email, "nobody@example.com"]) {
      const path = data("/login", "routes/_auth.login");
      const answer = await post(path, { identifier, password: "wrong password" }, "192.0.2.4");
      expect(answer.status).toBe(401);
      bodies.add((await answer.text()).replaceAll(identifier, "IDENTIFIER"));
    }
    expect(bodies.size).toBe(1);
  });

  it("Login does the same work for an unknown user, who is checked against the account of a decoy", async () => {
    await t.createUser();
    const answer = await t.database.call("find_login_identity", { p_identifier: "no one" });
    const identity = JSON.parse(answer);
    expect(identity.user_id).toBeNull();
    const rows = await t.query`select from auth.users where email = ${identity.email}`;
    expect(rows).toHaveLength(1);
  });

  it("W2: Login refuses passwords over 1 kB or with NUL, and accepts other forms of the same letters", async () => {
    for (const password of ["x".repeat(10_240), "a\0b"]) {
      const answer = await post("/login", { identifier: "u", password }, "192.0.2.5");
      expect(answer.status).toBe(422);
    }
    const composed = "pässwörd-lang-genug".normalize("NFC");
    const fields = { username: "unicode", email: "unicode@example.com", password: composed };
    expect((await post("/register", fields, "192.0.2.6")).status).toBe(303);
    const login = { identifier: "unicode", password: composed.normalize("NFD") };
    expect((await post("/login", login, "192.0.2.6")).status).toBe(303);
  });

  it("Registration refuses weak and overlong passwords, and bad and taken names", async () => {
    const good = { username: "fresh", email: "fresh@example.com", password: "a long enough secret" };
    for (const change of [
      { password: "too short" },
      { password: "x".repeat(73) },
      { username: "a" },
      { username: "a b" },
      { username: "me@example.com" },
      { username: "UNICODE" },
      { email: "no address" },
    ]) {
      await t.query`truncate public.rate_limit_counters`;
      const answer = await post("/register", { ...good, ...change }, "192.0.2.7");
      expect(answer.status).toBe(422);
    }
    const rows = await t.query`select role, is_demo from public.users where username = 'unicode'`;
    expect(rows).toEqual([{ role: "DEVELOPER", is_demo: false }]);
  });

  it("Registration never grants a role, no matter what is sent along", async () => {
    const fields = {
      username: "sneaky",
      email: "sneaky@example.com",
      password: "a long enough secret",
      role: "ADMIN",
      is_demo: "false",
    };
    expect((await post("/register", fields, "192.0.2.8")).status).toBe(303);
    const rows = await t.query`select role from public.users where username = 'sneaky'`;
    expect(rows).toEqual([{ role: "DEVELOPER" }]);
  });
});

it("A new API token works, is stored as a hash only, and ends when its owner revokes it", async () => {
  const user = await t.createUser();
  const actor = t.actorOf(user);
  const created = await createApiToken(actor, { label: "laptop", expires_days: 30 });
  expect(created.token).toMatch(/^blm_[A-Za-z0-9_-]{43}$/);
  const list = () => app.request("/api/products", { headers: bearer(created.token) });
  expect((await list()).status).toBe(200);
  const rows = await t.query`select t::text as row from public.api_tokens t where id = ${created.id}`;
  expect(rows[0].row).not.toContain(created.token.slice(8));
  const stranger = t.actorOf(await t.createUser());
  await expect(revokeApiToken(stranger, { token_id: created.id })).rejects.toMatchObject({ status: 404 });
  await revokeApiToken(actor, { token_id: created.id });
  expect((await list()).status).toBe(401);
});
