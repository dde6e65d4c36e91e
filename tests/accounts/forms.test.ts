import { expect, it } from "vitest";
import { openApp } from "../setup/app";

const { t, app } = await openApp({ pages: true });
const user = await t.createUser({ username: "grace" });

function post(path: string, fields: Record<string, string>, cookie = ""): Promise<Response> {
  return app.submit(path, fields, { cookie });
}

it("A user can sign in and out by plain forms, and the old cookie is worth nothing", async () => {
  const answer = await post("/login", { identifier: "grace", password: user.password });
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
  const answer = await post("/login", { identifier: "grace", password: "not the password" });
  expect(answer.status).toBe(401);
  const page = await answer.text();
  expect(page).toContain("Username or password is wrong");
  expect(page).toContain('value="grace"');
  expect(page).not.toContain("not the password");
});
