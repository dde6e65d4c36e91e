import { expect, it } from "vitest";
import { readSessionCookie } from "~/http/session.server";
import { cancelPairing } from "~/nouns/pairings/pair.server";
import { openApp } from "../setup/app";
import { approve, claim, setCookieOf, startPairing } from "./pairing-requests";

const { t, app } = await openApp();
const user = await t.createUser();
const phone = t.actorOf(user);
const clearedPairCookie = "app_pair=; Max-Age=0; Path=/api/auth/pair; HttpOnly; SameSite=Lax";

async function freshLimits(): Promise<void> {
  await t.query`truncate public.rate_limit_counters`;
}

async function waitingDesktop() {
  await freshLimits();
  return startPairing(app);
}

async function approvedDesktop() {
  const desktop = await waitingDesktop();
  await approve(phone, desktop);
  return desktop;
}

async function expire(id: string): Promise<void> {
  await t.query`update public.login_pairings set expires_at = clock_timestamp() where id = ${id}`;
}

it("A claim signs the approved desktop in, once, for 8 hours, and clears the pairing cookie", async () => {
  const desktop = await approvedDesktop();
  const before = Date.now();
  const answer = await claim(app, desktop);
  expect(answer.status).toBe(200);
  expect(await answer.json()).toEqual({ ok: true });
  expect(setCookieOf(answer, "app_pair")).toBe(clearedPairCookie);

  const cookie = setCookieOf(answer, "session") ?? "";
  expect(cookie).toMatch(/; Path=\/; HttpOnly; SameSite=Lax$/);
  const session = await readSessionCookie(cookie, app.services.env);
  expect(session).toMatchObject({ user_id: user.id, is_demo: false, paired: true });
  const expires = Date.parse(session?.pairedExpiresAt ?? "") - 8 * 3_600_000;
  expect(expires).toBeGreaterThanOrEqual(before - 1000);
  expect(expires).toBeLessThanOrEqual(Date.now() + 1000);

  const rows = await t.query`select status, consumed_at is not null as consumed
      from public.login_pairings where id = ${desktop.id}`;
  expect(rows).toEqual([{ status: "CONSUMED", consumed: true }]);
});

it("A claim without cookie, with another desktop's, or of an unknown pairing gets 401", async () => {
  const desktop = await approvedDesktop();
  const other = await startPairing(app);
  const unknown = "00000000-0000-4000-8000-000000000000";
  const answers = [
    await claim(app, { id: desktop.id, cookie: "" }),
    await claim(app, { id: desktop.id, cookie: other.cookie }),
    await claim(app, { id: unknown, cookie: desktop.cookie }),
    await claim(app, { id: "no uuid", cookie: desktop.cookie }),
  ];
  for (const answer of answers) {
    expect(answer.status).toBe(401);
    expect(await answer.json()).toMatchObject({ code: 401 });
    expect(setCookieOf(answer, "app_pair")).toBe(clearedPairCookie);
    expect(setCookieOf(answer, "session")).toBeUndefined();
  }
});

it("P4 and P16: A claim of a consumed, cancelled or expired pairing gets 410 and clears the cookie", async () => {
  const consumed = await approvedDesktop();
  await claim(app, consumed);
  const cancelled = await waitingDesktop();
  await cancelPairing(phone, { pairing_id: cancelled.id, secret: cancelled.secret });
  const expired = await approvedDesktop();
  await expire(expired.id);
  const expiredPending = await waitingDesktop();
  await expire(expiredPending.id);
  for (const desktop of [consumed, cancelled, expired, expiredPending]) {
    const answer = await claim(app, desktop);
    expect(answer.status).toBe(410);
    expect(setCookieOf(answer, "app_pair")).toBe(clearedPairCookie);
    expect(setCookieOf(answer, "session")).toBeUndefined();
  }
});

it("A claim of a pending pairing gets 409, and its cookie stays good", async () => {
  const desktop = await waitingDesktop();
  const early = await claim(app, desktop);
  expect(early.status).toBe(409);
  expect(setCookieOf(early, "app_pair")).toBeUndefined();
  await approve(phone, desktop);
  expect((await claim(app, desktop)).status).toBe(200);
});

it.each([
  ["no body", ""],
  ["malformed JSON", "{"],
  ["no pairingId", "{}"],
  ["an empty pairingId", '{"pairingId":""}'],
  ["a number", '{"pairingId":1}'],
  ["null", "null"],
  ["a list", "[]"],
  ["NUL in the text", '{"pairingId":"\\u0000"}'],
])("A claim with %s gets 400 and clears the cookie", async (_name, body) => {
  const desktop = await waitingDesktop();
  const answer = await app.request("/api/auth/pair/claim", {
    method: "POST",
    headers: { "content-type": "application/json", cookie: desktop.cookie },
    body,
  });
  expect(answer.status).toBe(400);
  expect(await answer.json()).toMatchObject({ code: 400 });
  expect(setCookieOf(answer, "app_pair")).toBe(clearedPairCookie);
});

it("A claim's cookie is checked before its body, and a body that is too big is refused", async () => {
  const huge = JSON.stringify({ pairingId: "x".repeat(1_100_000) });
  const headers = { "content-type": "application/json" };
  const path = "/api/auth/pair/claim";
  const open = await app.request(path, { method: "POST", headers, body: "{" });
  expect(open.status).toBe(401);
  const desktop = await waitingDesktop();
  const big = await app.request(path, { method: "POST", headers: { ...headers, cookie: desktop.cookie }, body: huge });
  expect(big.status).toBe(413);
});

it("P10: A claim from a page of another site is refused", async () => {
  const desktop = await approvedDesktop();
  const foreign = await claim(app, desktop, { headers: { origin: "https://evil.example" } });
  expect(foreign.status).toBe(403);
  expect((await claim(app, desktop, { headers: { origin: app.origin } })).status).toBe(200);
});

it("P15: with two starts in one browser the second cookie wins, the first pairing is 401", async () => {
  const first = await waitingDesktop();
  const second = await startPairing(app);
  await approve(phone, first);
  expect((await claim(app, { id: first.id, cookie: second.cookie })).status).toBe(401);
});
