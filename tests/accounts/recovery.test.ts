import { expect, it } from "vitest";
import { hostedProject, startTestApp } from "../setup/app";
import { createTestDatabase } from "../setup/database";
import { authProgram } from "../setup/supabase-auth";
import { at } from "../setup/world";

const t = await createTestDatabase();
const app = await startTestApp(t, { pages: true, env: hostedProject });
const user = await t.createUser({ username: "hopper" });

function post(path: string, fields: Record<string, string>, cookie = ""): Promise<Response> {
  return app.submit(path, fields, { cookie });
}

/** What the link of a message leads back with: a code from Auth itself, which the stand-in does not make. */
async function proofIn(text: string) {
  const link = /https?:[^\s"')>\]]+verify\?[^\s"')>\]]+/.exec(text)?.[0].replaceAll("&amp;", "&") ?? "";
  if (!authProgram) return { kind: "token_hash", proof: new URL(link).searchParams.get("token") ?? "" };
  const { headers } = await t.supabase.fetch(link, { redirect: "manual" });
  const back = new URL(headers.get("location") ?? "");
  return { kind: "code", proof: back.searchParams.get("code") ?? "" };
}

it("Recovery by email sends a link, stores the new password and ends all sessions", async () => {
  const signedIn = await post("/login", { identifier: "hopper", password: user.password });
  const session = signedIn.headers.get("set-cookie")?.split(";")[0] ?? "";

  const asked = await post("/recover", { email: user.email });
  expect(asked.status).toBe(200);
  expect(await asked.text()).toContain("we sent it a link");
  const cookies = asked.headers.getSetCookie();
  expect(cookies.length).toBeGreaterThan(0);
  for (const cookie of cookies) {
    expect(cookie).toContain("Path=/recover");
    expect(cookie).toContain("HttpOnly");
  }
  const cookie = cookies.map((line) => line.split(";")[0]).join("; ");

  await expect.poll(() => t.mails).toHaveLength(1);
  const mail = at(t.mails, 0);
  expect(mail.to).toBe(user.email);
  const { kind, proof } = await proofIn(mail.text);
  const page = await app.request(`/recover?${kind}=${proof}`, { headers: { cookie } });
  expect(await page.text()).toContain("Choose a new password");

  const password = "quite another secret";
  const fields = { proof_kind: kind, new_password: password };
  const forged = await post("/recover", { ...fields, proof: `${proof.slice(1)}0` }, cookie);
  expect(forged.status).toBe(422);
  const saved = await post("/recover", { ...fields, proof }, cookie);
  expect(saved.headers.get("location")).toBe("/login?notice=reset");
  expect((await post("/recover", { ...fields, proof }, cookie)).status).toBe(422);
  const old = await app.request("/settings", { headers: { cookie: session } });
  expect(old.headers.get("location")).toContain("/login");
  expect((await post("/login", { identifier: "hopper", password })).status).toBe(303);
});

it("D8: Recovery answers the same for an unknown address, and sends nothing", async () => {
  const before = t.mails.length;
  const asked = await post("/recover", { email: "nobody@example.com" });
  expect(asked.status).toBe(200);
  expect(await asked.text()).toContain("we sent it a link");
  expect(t.mails.length).toBe(before);
});
