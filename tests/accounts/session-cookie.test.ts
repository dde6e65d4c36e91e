import { randomBytes, randomUUID } from "node:crypto";
import { CompactEncrypt } from "jose";
import { expect, it } from "vitest";
import { clearSessionCookies, readSessionCookie, renewSessionCookies, sealSessionCookies } from "~/http/session.server";

const secret = () => randomBytes(32).toString("base64url");
const [current, previous] = [secret(), secret()];
const env = { sessionSecrets: [current, previous], secureCookies: false, appOrigin: "http://localhost:3000" };
const value = { session_id: randomUUID(), user_id: randomUUID(), is_demo: false };

async function sealedWith(sealSecret: string): Promise<string> {
  const [setCookie] = await sealSessionCookies(value, { ...env, sessionSecrets: [sealSecret] });
  return setCookie?.split(";")[0] ?? "";
}

it("The session cookie is HttpOnly, SameSite Lax, Path / and Secure exactly for https, even when cleared", async () => {
  const [plain, twin] = await sealSessionCookies(value, env);
  expect(plain).toMatch(/^session=[\w.-]+; Max-Age=2592000; Path=\/; HttpOnly; SameSite=Lax$/);
  expect(twin).toBe(plain?.replace("session", "backloom_session_3000"));
  const origin = { secureCookies: true, appOrigin: "https://backlog.example" };
  const secure = await sealSessionCookies(value, { ...env, ...origin });
  for (const line of secure) expect(line).toMatch(/; SameSite=Lax; Secure$/);
  expect(secure[1]).toMatch(/^__Host-backloom_session_443=/);
  const attributes = "Max-Age=0; Path=/; HttpOnly; SameSite=Lax";
  const cleared = [`session=; ${attributes}`, `backloom_session_3000=; ${attributes}`];
  expect(await clearSessionCookies(await sealedWith(current), env)).toEqual(cleared);
  expect(await clearSessionCookies("session=of-another-program", env)).toEqual([cleared[1]]);
});

it("The session cookie shows nothing of what it holds", async () => {
  const cookie = await sealedWith(current);
  const parts = cookie.split(".").map((part) => Buffer.from(part, "base64url").toString());
  for (const text of [cookie, ...parts]) {
    expect(text).not.toContain(value.user_id);
    expect(text).not.toContain(value.session_id);
  }
});

it("The session cookie is sealed by the first secret and opened by all", async () => {
  for (const cookie of [await sealedWith(current), await sealedWith(previous)]) {
    expect(await readSessionCookie(cookie, env)).toMatchObject(value);
  }
  expect(await readSessionCookie(await sealedWith(current), { ...env, sessionSecrets: [previous] })).toBeNull();
});

it("The session cookie is the one that opens where several have its name", async () => {
  const cookie = await sealedWith(current);
  const others = `theme=dark; xsession=1; ${cookie}; session=other`;
  for (const header of [`session=of-another-path; ${cookie}`, `${cookie}; session=of-a-domain`, others]) {
    expect(await readSessionCookie(header, env)).toMatchObject(value);
    expect(await clearSessionCookies(header, env)).toHaveLength(2);
  }
});

it("W3: A cut, flipped, foreign, huge or empty session cookie is signed out, never an error", async () => {
  const cookie = await sealedWith(current);
  const flipped = [...cookie];
  const at = cookie.length - 10;
  flipped[at] = flipped[at] === "A" ? "B" : "A";
  const foreignShape = await new CompactEncrypt(new TextEncoder().encode('{"user_id":1}'))
    .setProtectedHeader({ alg: "dir", enc: "A256GCM" })
    .encrypt(randomBytes(32));
  const unsealed = Buffer.from(JSON.stringify(value)).toString("base64url");
  for (const header of [
    null,
    "",
    "session=",
    "session",
    cookie.slice(0, -5),
    cookie.slice(0, cookie.length / 2),
    flipped.join(""),
    await sealedWith(secret()),
    `session=${foreignShape}`,
    `session=${unsealed}`,
    `session=${"x".repeat(10_000)}`,
    "session=..........",
    "session=%00",
  ]) {
    expect(await readSessionCookie(header, env)).toBeNull();
  }
});

it("The session cookie is sealed again once a day, unless it belongs to a paired session", async () => {
  const renewedOf = async (cookie: string) => {
    const opened = await readSessionCookie(cookie, env);
    return opened && renewSessionCookies(opened, env);
  };
  const fresh = await sealedWith(current);
  expect(await renewedOf(fresh)).toEqual([]);
  const old = await new CompactEncrypt(
    new TextEncoder().encode(JSON.stringify({ ...value, sealed_at: Date.now() - 90_000_000 })),
  )
    .setProtectedHeader({ alg: "dir", enc: "A256GCM" })
    .encrypt(await keyOf(current));
  for (const name of ["session", "backloom_session_3000"]) {
    const renewed = await renewedOf(`${name}=${old}`);
    expect(renewed?.map((line) => line.split("=")[0])).toEqual(["session", "backloom_session_3000"]);
  }
  const [paired = ""] = await sealSessionCookies(
    { ...value, paired: true, pairedExpiresAt: new Date(Date.now() + 28_800_000).toISOString() },
    env,
  );
  expect(paired).toMatch(/Max-Age=28800;/);
  expect(await renewedOf(paired)).toEqual([]);
});

async function keyOf(text: string): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)));
}
