import { randomUUID } from "node:crypto";
import { beforeEach, expect, it } from "vitest";
import { authenticate } from "~/nouns/accounts/operations.server";
import { notePasswordChange } from "~/nouns/accounts/passwords.server";
import { revokePairing } from "~/nouns/pairings/operations.server";
import { approvePairing, cancelPairing, getPairingForApproval, newPairingSecret } from "~/nouns/pairings/pair.server";
import { pairingCheckCode } from "~/nouns/pairings/pairing-code";
import { principalSchema } from "~/wire/accounts/contract";
import { openApp } from "../setup/app";
import type { TestUser } from "../setup/world";
import { approve, claim, setCookieOf, startPairing } from "./pairing-requests";

const { t, app } = await openApp();
const user = await t.createUser();
const phone = t.actorOf(user);

beforeEach(async () => {
  await t.query`truncate public.rate_limit_counters`;
});

async function rowOf(id: string) {
  const rows = await t.query`select * from public.login_pairings where id = ${id}`;
  return rows[0];
}

async function principalOf(who: TestUser) {
  return principalSchema.parse(await authenticate(t.actorOf(who)));
}

it("P9 and P13: Any user's phone sees device, address, account and check code, and changes nothing", async () => {
  const desktop = await startPairing(app, { "user-agent": "Firefox on a desk" });
  const demo = await t.createUser({ demo: true });
  for (const who of [user, demo]) {
    const shown = await getPairingForApproval(t.database, await principalOf(who), {
      pairing_id: desktop.id,
      secret: desktop.secret,
    });
    expect(shown).toMatchObject({
      pairing_id: desktop.id,
      status: "pending",
      desktop_ua: "Firefox on a desk",
      desktop_ip: "127.0.0.1",
      username: who.username,
      check_code: pairingCheckCode(desktop.id),
    });
  }
  expect(await rowOf(desktop.id)).toMatchObject({ status: "PENDING", user_id: null });
});

it("A pairing without its secret is refused to a phone like an unknown one, and the try counts", async () => {
  const desktop = await startPairing(app);
  const principal = await principalOf(user);
  const attempt = (pairing_id: string) =>
    getPairingForApproval(t.database, principal, { pairing_id, secret: newPairingSecret() });
  const wrong = await attempt(desktop.id).catch((error: unknown) => error);
  const unknown = await attempt(randomUUID()).catch((error: unknown) => error);
  expect(wrong).toMatchObject({ status: 404 });
  expect(unknown).toEqual(wrong);
  expect(await rowOf(desktop.id)).toMatchObject({ failed_attempts: 1 });
});

it("P6: An approval sets its user, its moment and a new deadline of 5 minutes, once", async () => {
  const desktop = await startPairing(app);
  await t.query`update public.login_pairings set expires_at = now() + interval '5 seconds' where id = ${desktop.id}`;
  await approve(phone, desktop);
  const row = await rowOf(desktop.id);
  expect(row).toMatchObject({ status: "APPROVED", user_id: user.id, consumed_at: null });
  expect(Math.abs(row.expires_at - row.approved_at - 300_000)).toBeLessThan(100);
  await expect(approve(phone, desktop)).rejects.toMatchObject({ status: 410 });
  expect((await rowOf(desktop.id)).expires_at).toEqual(row.expires_at);
});

it.each([
  ["approve", approvePairing],
  ["cancel", cancelPairing],
])("P12: %s with a wrong secret or id changes nothing, and both get one answer", async (_name, operation) => {
  const desktop = await startPairing(app);
  const secret = newPairingSecret();
  const wrong = await operation(phone, { pairing_id: desktop.id, secret }).catch((error: unknown) => error);
  const unknown = await operation(phone, { pairing_id: randomUUID(), secret }).catch((error: unknown) => error);
  expect(wrong).toMatchObject({ status: 404 });
  expect(unknown).toEqual(wrong);
  expect(await rowOf(desktop.id)).toMatchObject({ status: "PENDING", user_id: null });
});

it.each([
  ["approve", approvePairing],
  ["cancel", cancelPairing],
])("P5: %s after the deadline is refused and changes nothing", async (_name, operation) => {
  const desktop = await startPairing(app);
  await t.query`update public.login_pairings set expires_at = clock_timestamp() where id = ${desktop.id}`;
  const pairing = { pairing_id: desktop.id, secret: desktop.secret };
  await expect(operation(phone, pairing)).rejects.toMatchObject({ status: 410 });
  expect(await rowOf(desktop.id)).toMatchObject({ status: "PENDING", user_id: null });
});

it("P13: Demo users can neither approve nor cancel a pairing", async () => {
  const demo = await t.createUser({ demo: true });
  const desktop = await startPairing(app);
  const pairing = { pairing_id: desktop.id, secret: desktop.secret };
  await expect(approvePairing(t.actorOf(demo), pairing)).rejects.toMatchObject({ status: 403 });
  await expect(cancelPairing(t.actorOf(demo), pairing)).rejects.toMatchObject({ status: 403 });
  expect(await rowOf(desktop.id)).toMatchObject({ status: "PENDING", failed_attempts: 0 });
});

it("P1: after 5 wrong secrets a pairing takes no more, not even the right one", async () => {
  const desktop = await startPairing(app);
  for (let guess = 0; guess < 5; guess += 1) {
    const pairing = { pairing_id: desktop.id, secret: newPairingSecret() };
    await expect(approvePairing(phone, pairing)).rejects.toMatchObject({ status: 404 });
  }
  const outcome = await approve(phone, desktop).catch((error: unknown) => error);
  expect(outcome).toMatchObject({ status: 429 });
  expect(outcome).toHaveProperty("retryAfter");
});

it("P1: after 20 wrong secrets in an hour a user is refused, others are not", async () => {
  const guesser = await t.createUser();
  for (let guess = 0; guess < 20; guess += 1) {
    const pairing = { pairing_id: randomUUID(), secret: newPairingSecret() };
    await expect(approvePairing(t.actorOf(guesser), pairing)).rejects.toMatchObject({ status: 404 });
  }
  const desktop = await startPairing(app);
  await expect(approve(t.actorOf(guesser), desktop)).rejects.toMatchObject({ status: 429 });
  await approve(phone, desktop);
});

it("P9: Revoking a pairing signs its desktop out, before and after the claim", async () => {
  const early = await startPairing(app);
  await approve(phone, early);
  await revokePairing(phone, { pairing_id: early.id });
  expect((await claim(app, early)).status).toBe(410);

  const late = await startPairing(app);
  await approve(phone, late);
  await claim(app, late);
  await revokePairing(phone, { pairing_id: late.id });
  const rows = await t.query`select s.revoked_at from public.user_sessions s
      join public.login_pairings p on p.session_id = s.id where p.id = ${late.id}`;
  expect(rows[0].revoked_at).not.toBeNull();

  const stranger = t.actorOf(await t.createUser());
  await expect(revokePairing(stranger, { pairing_id: late.id })).rejects.toMatchObject({ status: 404 });
});

it("P14: A user who was deleted, made demo or changed the password gives no session", async () => {
  const changes: [string, (id: string) => Promise<unknown>][] = [
    ["deleted", (id) => t.query`delete from auth.users where id = ${id}`],
    ["demo", (id) => t.query`update public.users set is_demo = true where id = ${id}`],
    ["password", (id) => notePasswordChange(t.database, { userId: id })],
  ];
  for (const [, change] of changes) {
    const other = await t.createUser();
    const desktop = await startPairing(app);
    await approve(t.actorOf(other), desktop);
    await change(other.id);
    const answer = await claim(app, desktop);
    expect([401, 410]).toContain(answer.status);
    expect(setCookieOf(answer, "session")).toBeUndefined();
    const sessions = "select count(*)::int as n from public.user_sessions where user_id = $1";
    expect((await t.sql.query(sessions, [other.id])).rows[0].n).toBe(0);
  }
});

it("P11: A claim ends the session that the browser had and makes a new one", async () => {
  const first = await startPairing(app);
  await approve(phone, first);
  const earlier = setCookieOf(await claim(app, first), "session")?.split(";")[0] ?? "";
  const second = await startPairing(app);
  await approve(phone, second);
  const later = setCookieOf(await claim(app, second, { cookie: earlier }), "session");
  expect(later).toBeDefined();
  const rows = await t.query`
      select p.id, s.id as session, s.revoked_at is null as live from public.login_pairings p
      join public.user_sessions s on s.id = p.session_id where p.id = any(${[first.id, second.id]})`;
  const live = new Map(rows.map((row) => [row.id, row.live]));
  expect(live.get(first.id)).toBe(false);
  expect(live.get(second.id)).toBe(true);
  expect(new Set(rows.map((row) => row.session)).size).toBe(2);
});
