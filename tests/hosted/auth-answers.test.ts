import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { join } from "node:path";
import { afterAll, beforeEach, describe, expect, it, vi } from "vitest";
import { checkSession } from "~/cli/doctor/check-session.server";
import { connectDatabase, type DatabaseOptions } from "~/db/database.server";
import { setupProblemOf } from "~/db/is-answering.server";
import { checkRegistration } from "~/server/check-sign-in.server";
import { hostedProject, startTestApp } from "../setup/app";
import { createEmptyDatabase, createTestDatabase } from "../setup/database";
import { portOf } from "../setup/port-of";

/** What the project's Auth answers next, and what it was asked. Everything but Auth goes to the real stack. */
type Answer = { status: number; body: Record<string, unknown> | string };
/** What Auth is set to; what it really says when undefined. */
let settings: Record<string, unknown> | undefined;
let answer: Answer | undefined;
let asked: { path: string; headers: Headers; body: string }[] = [];

const t = await createTestDatabase();
const user = await t.createUser({ username: "hopper" });

function playedBack(passOn: typeof fetch): typeof fetch {
  return async (input, init) => {
    const request = new Request(input, init);
    const { pathname } = new URL(request.url);
    if (!pathname.startsWith("/auth/")) return passOn(request);
    asked.push({ path: pathname, headers: request.headers, body: await request.clone().text() });
    if (pathname.endsWith("/settings")) return settings ? Response.json(settings) : passOn(request);
    if (answer === undefined) return passOn(request);
    const { body, status } = answer;
    return typeof body === "string" ? new Response(body, { status }) : Response.json(body, { status });
  };
}

function openDatabase(secretKey: string) {
  const database = connectDatabase({
    ...t.supabase,
    databaseUrl: t.supabase.databaseUrl,
    secretKey,
    fetch: playedBack(t.supabase.fetch),
  });
  afterAll(() => database.close());
  return database;
}

const database = openDatabase(t.supabase.secretKey);
const app = await startTestApp(t, { database, pages: true, variables: { TRUST_PROXY: "loopback" } });
const withMail = await startTestApp(t, { database, pages: true, env: hostedProject });
const silentDatabase = connectDatabase({
  ...t.supabase,
  fetch: async (input, init) => {
    init?.signal?.throwIfAborted();
    return t.supabase.fetch(input, init);
  },
});
afterAll(() => silentDatabase.close());
const silent = await startTestApp(t, { database: silentDatabase, pages: true });
const legacy = await startTestApp(t, { database: openDatabase("eyJ.legacy.key"), pages: true });

beforeEach(async () => {
  answer = settings = undefined;
  asked = [];
  await t.query`delete from public.rate_limit_counters`;
});

function refusedWith(status: number, code: string, message: string): void {
  answer = { status, body: { code: status, error_code: code, msg: message } };
}

async function post(path: string, fields: Record<string, string>, on = app) {
  const response = await on.request(path, {
    method: "POST",
    headers: { origin: on.origin, "x-forwarded-for": "203.0.113.7" },
    body: new URLSearchParams(fields),
  });
  return { status: response.status, text: await response.text() };
}

const logIn = (on = app) => post("/login", { identifier: "hopper", password: user.password }, on);
const register = () =>
  post("/register", { username: "lovelace", email: "lovelace@example.com", password: "a long enough secret" });

it.each([
  [422, "signup_disabled", 403, "New accounts are switched off here"],
  [400, "email_address_not_authorized", 422, "set up SMTP"],
  [400, "captcha_failed", 503, "CAPTCHA"],
  [422, "email_provider_disabled", 503, "switched off in Supabase Auth"],
  [422, "weak_password", 422, "Choose a longer or less common password."],
  [429, "over_email_send_rate_limit", 429, "as many messages as it may in an hour"],
  [401, "no_authorization", 503, "refuses the key of this service"],
  [503, "unexpected_failure", 503, "does not answer"],
])("Registration says why Supabase Auth refused with %i %s", async (status, code, shown, words) => {
  refusedWith(status, code, "Told by Auth");
  const { status: got, text } = await register();
  expect([got, text.includes(words)]).toEqual([shown, true]);
});

it.each([
  [{ disable_signup: true }, 403, "New accounts are switched off here"],
  [{ disable_signup: false, external: { email: false } }, 503, "switched off in Supabase Auth"],
  [{ message: "no settings" }, 503, "does not answer"],
])("Registration is refused with the reason where Supabase Auth has the settings %o", async (set, shown, words) => {
  settings = set;
  const { status, text } = await register();
  expect([status, text.includes(words)]).toEqual([shown, true]);
});

it.each([
  ...[500, 502, 504, 520, 522, 525, 530, 544].map((status) => [status, "does not answer"] as const),
  ...[402, 540].map((status) => [status, "paused or restricted"] as const),
])("A proxy's %i in front of Supabase Auth is said to be no failure of this service", async (status, words) => {
  answer = { status, body: "<html>An edge's page</html>" };
  const { status: got, text } = await logIn();
  expect([got, text.includes(words)]).toEqual([503, true]);
});

it("A password is tried as soon as Supabase Auth is back, even after eleven failures", async () => {
  answer = { status: 530, body: "error code: 1033" };
  for (let round = 0; round < 11; round += 1) expect((await logIn()).status).toBe(503);
  answer = undefined;
  expect((await logIn()).status).toBe(303);
});

it("A sign-in form waits ten seconds for a silent Supabase Auth, and no longer", async () => {
  vi.spyOn(AbortSignal, "timeout").mockImplementation((patience) => {
    expect(patience).toBe(10_000);
    return AbortSignal.abort(new DOMException("late", "TimeoutError"));
  });
  const { status, text } = await post("/login", { identifier: "hopper", password: user.password }, silent);
  expect([status, text.includes("does not answer")]).toEqual([503, true]);
});

it.each([
  [400, "invalid_credentials", 401, "Username or password is wrong"],
  // Told before the password is looked at: it must not tell that the account exists.
  [400, "user_banned", 401, "Username or password is wrong"],
  [400, "email_not_confirmed", 403, "not confirmed yet"],
  [400, "captcha_failed", 503, "CAPTCHA"],
  [429, "over_request_rate_limit", 429, "Too many tries"],
])("Sign-in says why Supabase Auth refused with %i %s", async (status, code, shown, words) => {
  refusedWith(status, code, "Told by Auth");
  const { status: got, text } = await logIn();
  expect([got, text.includes(words)]).toEqual([shown, true]);
});

it("the password of an account with a second factor is not enough", async () => {
  const factors = [{ id: user.id, status: "verified", factor_type: "totp" }];
  const session = { access_token: "eyJ.e30.x", refresh_token: "x", token_type: "bearer" };
  const body = { ...session, expires_in: 3600, user: { id: user.id, factors } };
  answer = { status: 200, body };
  const { status, text } = await logIn();
  expect([status, text.includes("has a second factor")]).toEqual([403, true]);
});

it("a key that the gateway refuses is not a wrong password", async () => {
  answer = { status: 401, body: { message: "Invalid API key", hint: "Double check" } };
  const { status, text } = await logIn();
  expect([status, text.includes("refuses the key of this service")]).toEqual([503, true]);
});

it("Sign-in tells Supabase Auth the client's address with the secret key, which may do so", async () => {
  expect((await logIn()).status).toBe(303);
  const [first] = asked;
  expect(first?.path).toBe("/auth/v1/token");
  expect(first?.headers.get("sb-forwarded-for")).toBe("203.0.113.7");
  expect(first?.headers.get("apikey")).toBe(t.supabase.secretKey);
  await post("/recover", { email: user.email });
  expect(asked.at(-1)?.headers.get("sb-forwarded-for") ?? "203.0.113.7").toBe("203.0.113.7");
});

it("Sign-in uses the publishable key beside a legacy key, which may not tell the client's address", async () => {
  expect((await logIn(legacy)).status).toBe(303);
  expect(asked[0]?.headers.get("sb-forwarded-for")).toBeNull();
  expect(asked[0]?.headers.get("apikey")).toBe(t.supabase.publishableKey);
});

it("A link that confirms an address brings a code that is worth nothing elsewhere, never a session", async () => {
  settings = { disable_signup: false, mailer_autoconfirm: false };
  expect((await register()).status).toBe(303);
  const message = asked.find(({ path }) => path === "/auth/v1/recover");
  expect(JSON.parse(message?.body ?? "{}")).toMatchObject({
    code_challenge: expect.stringMatching(/.{40,}/),
    code_challenge_method: "s256",
  });
});

it("A link that confirms an address leads to a page that says what became of it", async () => {
  const confirmed = await (await app.request("/login?code=abc")).text();
  expect(confirmed).toContain("Your email address is confirmed");
  for (const path of ["/login", "/recover"]) {
    const late = await withMail.request(`${path}?error=access_denied&error_code=otp_expired`);
    expect(await late.text()).toContain("This link has expired");
  }
});

it("Doctor signs in as the forms do, past any CAPTCHA, and tries no password where there are none", async () => {
  const [token] = await checkSession(database);
  expect(token).toMatchObject({ name: "token", ok: true });
  const signIn = asked.find(({ path }) => path === "/auth/v1/token");
  expect(signIn?.headers.get("apikey")).toBe(t.supabase.secretKey);
  settings = { disable_signup: true, external: { email: false } };
  asked = [];
  for (const check of await checkSession(database)) expect(check).toMatchObject({ ok: true });
  expect(asked.map(({ path }) => path)).toEqual(["/auth/v1/settings"]);
});

it("Doctor names the code and the words with which Supabase Auth refuses", async () => {
  refusedWith(422, "hook_timeout", "The hook took too long");
  const [token] = await checkSession(database);
  expect(token).toMatchObject({ name: "token", ok: false });
  expect(token?.message).toContain("hook_timeout: The hook took too long");
  refusedWith(422, "email_address_invalid", "Address is invalid");
  expect((await checkSession(database))[0]?.message).toContain("email_address_invalid");
});

describe("doctor, about sign-ups that Auth takes by itself", () => {
  let says: Record<string, unknown> = {};
  const server = createServer((request, response) => {
    const isOurs = request.url === "/auth/v1/settings" && request.headers.apikey === "public";
    response.statusCode = isOurs ? 200 : 401;
    response.end(JSON.stringify(says));
  });
  let port: number | undefined;
  afterAll(() => void server.close());
  const look = async (registration: "open" | "invite" | "closed", settings: typeof says) => {
    says = settings;
    port ??= await portOf(server);
    const supabase = { url: `http://127.0.0.1:${port}`, publishableKey: "public" };
    const rest = { secretKey: "", dbUrl: undefined, dbConnections: 1 };
    return checkRegistration({ registration, supabase: { ...supabase, ...rest } });
  };

  it("Doctor warns while Backloom is closed for new accounts and Supabase Auth is open for them", async () => {
    for (const registration of ["invite", "closed"] as const) {
      const { ok, message } = await look(registration, { disable_signup: false, external: {} });
      expect([ok, message.includes("Allow new users to sign up")]).toEqual([false, true]);
      expect(await look(registration, { disable_signup: true })).toMatchObject({ ok: true });
    }
    expect(await look("open", { disable_signup: false })).toMatchObject({ ok: true });
  });

  it("Doctor warns where Supabase Auth gives no clear answer, and asks no one beside the embedded stack", async () => {
    expect(await look("invite", { message: "Invalid API key" })).toMatchObject({ ok: false });
    const embedded = { registration: "invite", supabase: undefined } as const;
    expect(await checkRegistration(embedded)).toMatchObject({ ok: true });
  });
});

it("A legacy service_role key is also sent to the Data API as the bearer token", async () => {
  const seen: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    seen.push(request.headers.authorization, String(request.headers.apikey));
    response.setHeader("content-type", "application/json").end('"ok"');
  });
  const port = await portOf(server);
  const remote = connectDatabase({
    supabaseUrl: `http://127.0.0.1:${port}`,
    publishableKey: "anon",
    secretKey: "eyJ.legacy.key",
  });
  expect(await remote.call("ping", {})).toBe('"ok"');
  expect(seen).toEqual(["Bearer eyJ.legacy.key", "eyJ.legacy.key"]);
  await remote.close();
  server.close();
});

it("The file supabase/config.toml has the settings and templates that docs/supabase.md shows", async () => {
  const read = (path: string) => readFile(join(import.meta.dirname, "../..", path), "utf8");
  const config = await read("supabase/config.toml");
  for (const line of ['site_url = "env(APP_ORIGIN)"', "enable_signup = false"]) {
    expect(config.split("\n")).toContain(line);
  }
  const guide = await read("docs/supabase.md");
  const links = [...guide.matchAll(/^\| [^|]+ \| `(\{\{ \.SiteURL \}\}[^`]+)` \|$/gm)];
  const paths = [...config.matchAll(/content_path = "\.\/([^"]+)"/g)];
  expect([links.length, paths.length]).toEqual([2, 2]);
  for (const [index, [, path = ""]] of paths.entries()) {
    const html = (await read(path)).replaceAll("&amp;", "&");
    expect(html).toContain(`href="${links[index]?.[1]}"`);
  }
});

describe("a project that is not set up", () => {
  const notMigrated = "The database is not migrated: run npm run admin -- migrate.";
  const wrongKey = "The project refuses SUPABASE_SECRET_KEY";
  const open = (options: Pick<DatabaseOptions, "fetch" | "databaseUrl">) => {
    const project = connectDatabase({ ...t.supabase, ...options });
    afterAll(() => project.close());
    return project;
  };
  const answering = (status: number, body: Record<string, unknown>) =>
    open({ databaseUrl: undefined, fetch: async () => Response.json(body, { status }) });

  it.each([
    [404, { code: "PGRST202", message: "Could not find the function" }, notMigrated],
    [401, { message: "Invalid API key", hint: "Double check" }, wrongKey],
    [401, { code: "PGRST301", message: "JWT invalid" }, wrongKey],
    [401, { code: "42501", message: "permission denied for function call_service" }, wrongKey],
    [503, { code: "PGRST000", message: "no connection" }, "The database does not answer."],
  ])("A project that is not set up says what to do where the Data API answers %i %o", async (status, body, words) => {
    const project = answering(status, body);
    const ready = await (await startTestApp(t, { database: project })).request("/api/ready");
    expect(ready.status).toBe(503);
    expect(await ready.text()).toContain(words);
  });

  it("A database that is not migrated is named as such over Postgres and in doctor", async () => {
    const empty = await createEmptyDatabase();
    const project = open({ databaseUrl: empty.url });
    const reason = await project.call("ping", {}).catch(setupProblemOf);
    expect(reason).toBe(notMigrated);
    await project.close();
    await empty.remove();
  });
});

it.each([
  ["resolve_account", { p_identifier: "a\r\nSet-Cookie: b=1" }],
  ["resolve_product", { p_reference: "a\r\nSet-Cookie: b=1" }],
])("A refusal that repeats what the caller sent is one line, as the status line takes it: %s", async (name, values) => {
  const refusal = database.call(name, values);
  await expect(refusal).rejects.toMatchObject({
    status: 404,
    message: expect.stringMatching(/^There is no (user|product) a Set-Cookie: b=1\. [^\r\n]*$/),
  });
});
