import { describe, expect, it } from "vitest";
import { sealSessionCookies } from "~/http/session.server";
import { resetPassword } from "~/nouns/accounts/passwords.server";
import { openApp } from "../setup/app";
import type { TestUser } from "../setup/world";

const { t, app } = await openApp({ pages: true });

function post(path: string, fields: Record<string, string>, cookie = ""): Promise<Response> {
  return app.submit(path, fields, { cookie });
}

function get(path: string, cookie: string): Promise<Response> {
  return app.request(path, { headers: { cookie } });
}

async function pairedSession(user: TestUser, secondsLeft: number): Promise<string> {
  const rows = await t.query`insert into public.user_sessions (user_id, paired, paired_expires_at, expires_at)
     values (${user.id}, true, now() + make_interval(secs => ${secondsLeft}),
       now() + make_interval(secs => ${secondsLeft})) returning id, paired_expires_at`;
  const [cookie] = await sealSessionCookies(
    {
      session_id: rows[0].id,
      user_id: user.id,
      is_demo: false,
      paired: true,
      pairedExpiresAt: rows[0].paired_expires_at.toISOString(),
    },
    app.services.env,
  );
  return cookie?.split(";")[0] ?? "";
}

it("A user can sign in and out by plain forms, and the old cookie is worth nothing", async () => {
  const user = await t.createUser();
  const answer = await post("/login", { identifier: user.username, password: user.password });
  expect(answer.status).toBe(303);
  expect(answer.headers.get("location")).toBe("/");
  const setCookie = answer.headers.getSetCookie().find((line) => line.startsWith("session="));
  expect(setCookie).toMatch(/; Path=\/; HttpOnly; SameSite=Lax$/);
  const cookie = setCookie?.split(";")[0] ?? "";

  const out = await post("/logout", {}, cookie);
  expect(out.status).toBe(303);
  expect(out.headers.get("set-cookie")).toMatch(/^session=; Max-Age=0; Path=\/; HttpOnly/);
  const after = await app.request("/dashboard", { headers: { cookie } });
  expect(after.headers.get("location")).toBe("/login?redirectTo=%2Fdashboard");
});

it("A refused sign-in shows what is wrong and never the password", async () => {
  await t.createUser({ username: "grace" });
  const answer = await post("/login", { identifier: "grace", password: "not the password" });
  expect(answer.status).toBe(401);
  const page = await answer.text();
  expect(page).toContain("Username or password is wrong");
  expect(page).toContain('value="grace"');
  expect(page).not.toContain("not the password");
});

describe("P20: an expired paired session", () => {
  it("An expired paired session is ended with a way to the login page, and is 401 on the API", async () => {
    const user = await t.createUser();
    const alive = await pairedSession(user, 60);
    expect((await get("/settings/devices", alive)).status).toBe(200);
    const over = await pairedSession(user, -1);
    const page = await get("/settings/devices", over);
    expect(page.status).toBe(302);
    expect(page.headers.get("location")).toBe("/login?redirectTo=%2Fsettings%2Fdevices");
    expect(page.headers.get("set-cookie")).toMatch(/^session=; Max-Age=0;/);
    const api = await get("/api/tasks/00000000-0000-4000-8000-000000000000", over);
    expect(api.status).toBe(401);
  });
});

describe("W5: where a sign-in leads", () => {
  it.each([
    ["/settings/tokens", "/settings/tokens"],
    ["/products/x?y=1", "/products/x?y=1"],
    ["/a%20b", "/a%20b"],
    ["/%0d%0aSet-Cookie:x=1", "/%0d%0aSet-Cookie:x=1"],
    ["//evil.example", "/"],
    ["/\\evil.example", "/"],
    ["\\\\evil.example", "/"],
    ["/a\\b", "/"],
    ["/.//evil.example", "/"],
    ["/..//evil.example", "/"],
    ["https://evil.example", "/"],
    ["javascript:alert(1)", "/"],
    ["/\t/evil.example", "/"],
    ["/\r\nSet-Cookie: x=1", "/"],
    [" /x", "/"],
    ["x", "/"],
    ["", "/"],
  ])("A sign-in with redirectTo=%s leads to %s", async (asked, expected) => {
    await t.query`truncate public.rate_limit_counters`;
    const user = await t.createUser();
    const answer = await post("/login", { identifier: user.username, password: user.password, redirectTo: asked });
    expect(answer.status).toBe(303);
    expect(answer.headers.get("location")).toBe(expected);
    expect(answer.headers.getSetCookie().some((line) => line.startsWith("x="))).toBe(false);
  });
});

it("First steps open for a person without a product, and the dashboard for who was invited into one or is a demo", async () => {
  const [alone, invited, owner] = [await t.createUser(), await t.createUser(), await t.createUser()];
  const product = await t.seedProduct(owner);
  await t.addMember(product.id, invited);
  const demo = await t.createUser({ demo: true });
  const leads = async (user: TestUser) => (await get("/", await app.signIn(user))).headers.get("location");
  expect(await Promise.all([alone, invited, owner, demo].map(leads))).toEqual([
    "/start",
    "/dashboard",
    "/dashboard",
    "/dashboard",
  ]);
});

it("A temporary password has to be replaced before anything else, and every earlier session has ended", async () => {
  const user = await t.createUser();
  const before = await app.signIn(user);
  await resetPassword(t.database, { identifier: user.username, password: "temporary secret" });
  expect((await get("/settings", before)).headers.get("location")).toContain("/login");

  const login = await post("/login", { identifier: user.username, password: "temporary secret" });
  expect(login.headers.get("location")).toBe("/password");
  const cookie = login.headers.get("set-cookie")?.split(";")[0] ?? "";
  expect((await get("/settings", cookie)).headers.get("location")).toBe("/password");
  const tokens = await post("/settings/tokens", { intent: "create", label: "x" }, cookie);
  expect(tokens.headers.get("location")).toBe("/password");

  const same = { current_password: "temporary secret", new_password: "temporary secret" };
  expect((await post("/password", same, cookie)).status).toBe(422);
  const changed = await post(
    "/password",
    { current_password: "temporary secret", new_password: "one of my own" },
    cookie,
  );
  expect(changed.headers.get("location")).toBe("/");
  expect((await get("/settings", cookie)).status).toBe(200);
});

it("W6: The settings show what people typed as text", async () => {
  const user = await t.createUser();
  const cookie = await app.signIn(user);
  const label = `<img src=x onerror="alert(1)">`;
  const created = await post("/settings/tokens", { intent: "create", label }, cookie);
  expect(created.status).toBe(201);
  const page = await created.text();
  expect(page).toContain("&lt;img src=x onerror=");
  expect(page).not.toContain("<img src=x");
  expect(page).toMatch(/blm_[A-Za-z0-9_-]{43}/);
  const again = await (await get("/settings/tokens", cookie)).text();
  expect(again).not.toMatch(/blm_[A-Za-z0-9_-]{43}/);
});

it("A password change in the settings signs out the other devices", async () => {
  const user = await t.createUser();
  const [here, there] = [await app.signIn(user), await app.signIn(user)];
  const fields = { intent: "password", new_password: "a brand new secret" };
  const wrong = await post("/settings?index", { ...fields, current_password: "no" }, here);
  expect(wrong.status).toBe(422);
  const right = { ...fields, current_password: user.password };
  expect((await post("/settings?index", right, here)).status).toBe(303);
  expect((await get("/settings", here)).status).toBe(200);
  expect((await get("/settings", there)).headers.get("location")).toContain("/login");
});

it("The pages of the administration are for administrators alone", async () => {
  const user = await t.createUser();
  const cookie = await app.signIn(user);
  for (const path of ["/admin", "/admin/audit", "/admin/prices"]) {
    expect((await get(path, cookie)).status, path).toBe(403);
  }
  const admin = await t.createUser({ role: "ADMIN" });
  const adminCookie = await app.signIn(admin);
  for (const path of ["/admin", "/admin/audit", "/admin/prices"]) {
    expect((await get(path, adminCookie)).status, path).toBe(200);
  }
  const reset = await post("/admin?index", { intent: "reset", user_id: user.id }, adminCookie);
  expect(await reset.text()).toContain("Temporary password of");
  expect((await get("/settings", cookie)).headers.get("location")).toContain("/login");
});
