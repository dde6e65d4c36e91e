import { expect, it } from "vitest";
import { EnvironmentError, readEnv } from "~/env.server";
import { createAccount } from "~/nouns/accounts/create-account.server";
import { startTestApp, type TestApp } from "../setup/app";
import { createTestDatabase } from "../setup/database";

const t = await createTestDatabase();
const pages = ["_auth.register", "_auth.login", "_auth", "_app.dashboard", "_app"];

const post = (app: TestApp, path: string, fields: Record<string, string>) => app.submit(path, fields);
const newcomer = { username: "mallory", email: "m@example.com", password: "a long enough secret" };
const accounts = async (name: string) =>
  (await t.sql.query("select from public.users where username = $1", [name])).rowCount;

it.each(["invite", "closed"])("REGISTRATION=%s: the page says how to get in; its form is refused", async (word) => {
  const app = await startTestApp(t, { pages, variables: { REGISTRATION: word } });
  const page = await (await app.request("/register")).text();
  expect(page).toContain("an administrator");
  expect(page).not.toContain('type="password"');
  const answer = await post(app, "/register", newcomer);
  expect(answer.status).toBe(403);
  expect(answer.headers.get("set-cookie")).toBeNull();
  expect(await accounts("mallory")).toBe(0);
  expect(await (await app.request("/login")).text()).toContain("Request an account");
});

it("REGISTRATION=closed: an account that an administrator creates can sign in", async () => {
  const app = await startTestApp(t, { pages, variables: { REGISTRATION: "closed" } });
  const account = { ...newcomer, username: "guest", email: "guest@example.com" };
  await createAccount(t.database, account);
  const answer = await post(app, "/login", { identifier: "guest", password: account.password });
  expect(answer.status).toBe(303);
  expect(answer.headers.get("set-cookie")).toContain("session=");
});

it("REGISTRATION=open: anyone who comes can create an account", async () => {
  const variables = { REGISTRATION: "open", HOST: "0.0.0.0" };
  const app = await startTestApp(t, { pages, variables });
  expect((await post(app, "/register", newcomer)).status).toBe(303);
  expect(await accounts("mallory")).toBe(1);
});

it("Registration is open by default on this machine alone, and by invitation where others reach it", () => {
  const doorOf = (variables: Record<string, string>) => readEnv(variables).registration;
  expect(doorOf({})).toBe("open");
  for (const HOST of ["localhost", "127.0.0.1", "127.0.1.1", "::1"]) {
    expect(doorOf({ HOST }), HOST).toBe("open");
  }
  expect(doorOf({ APP_ORIGIN: "http://localhost:4000" })).toBe("open");
  for (const HOST of ["0.0.0.0", "::", "192.168.1.7", "127.example.com"]) {
    expect(doorOf({ HOST }), HOST).toBe("invite");
  }
  // Behind a proxy on the same machine others reach it all the same.
  expect(doorOf({ APP_ORIGIN: "https://backloom.example" })).toBe("invite");
  expect(doorOf({ APP_ORIGIN: "https://backloom.example", REGISTRATION: "open" })).toBe("open");
});

it("REGISTRATION with any other word stops the start, which names the variable", () => {
  for (const word of ["yes", "Open", "invited"]) {
    expect(() => readEnv({ REGISTRATION: word })).toThrow(EnvironmentError);
    expect(() => readEnv({ REGISTRATION: word })).toThrow("REGISTRATION must be one of open, invite, closed");
  }
});
