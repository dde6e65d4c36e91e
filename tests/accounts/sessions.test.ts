import { createHash, randomBytes } from "node:crypto";
import pg from "pg";
import { expect, it } from "vitest";
import { createSession } from "~/nouns/accounts/log-in.server";
import {
  authenticate,
  endSession,
  listAuditEvents,
  listSessions,
  revokeOtherSessions,
  revokeSession,
} from "~/nouns/accounts/operations.server";
import { notePasswordChange } from "~/nouns/accounts/passwords.server";
import { createTestDatabase } from "../setup/database";

const t = await createTestDatabase();
const browser = { userAgent: "Firefox", address: "192.0.2.1", previousSessionId: null };

function actorOf(sessionId: string) {
  return { database: t.database, credential: { session_id: sessionId } };
}

async function signIn(userId: string) {
  const { session_id } = await createSession(t.database, userId, browser);
  return { id: session_id, actor: actorOf(session_id) };
}

async function shift(sessionId: string, change: string): Promise<void> {
  await t.sql.query(`update public.user_sessions set ${change} where id = $1`, [sessionId]);
}

it("A session lasts 30 days and slides with use, at most once a minute", async () => {
  const user = await t.createUser();
  const session = await signIn(user.id);
  await shift(session.id, "expires_at = now() + interval '1 day', last_seen_at = now() - interval '45 seconds'");
  await authenticate(session.actor);
  const daysLeft =
    "select extract(epoch from expires_at - now())::int / 3600 as hours from public.user_sessions where id = $1";
  expect((await t.sql.query(daysLeft, [session.id])).rows[0].hours).toBeLessThan(25);
  await shift(session.id, "last_seen_at = now() - interval '61 seconds'");
  await authenticate(session.actor);
  expect((await t.sql.query(daysLeft, [session.id])).rows[0].hours).toBeGreaterThan(700);
});

it("A session is 401 from the next request on after expiry, sign-out, revocation or its user's deletion", async () => {
  const user = await t.createUser();
  const ends: ((id: string) => Promise<unknown>)[] = [
    (id) => shift(id, "expires_at = now()"),
    (id) => endSession(t.database, { session_id: id, ip: "192.0.2.1" }),
    (id) => shift(id, "revoked_at = now()"),
    () => t.query`delete from auth.users where id = ${user.id}`,
  ];
  for (const end of ends) {
    const session = await signIn(user.id);
    await authenticate(session.actor);
    await end(session.id);
    await expect(authenticate(session.actor)).rejects.toMatchObject({ status: 401 });
    await expect(listSessions(session.actor)).rejects.toMatchObject({ status: 401 });
  }
});

it("P20: a paired session holds until its end and is 401 one second after, and never slides", async () => {
  const user = await t.createUser();
  const session = await signIn(user.id);
  await shift(
    session.id,
    "paired = true, paired_expires_at = now() + interval '15 seconds', expires_at = now() + interval '15 seconds', last_seen_at = now() - interval '1 hour'",
  );
  expect(await authenticate(session.actor)).toMatchObject({ paired: true });
  const rows = await t.query`select expires_at = paired_expires_at as fixed
      from public.user_sessions where id = ${session.id}`;
  expect(rows[0].fixed).toBe(true);
  await shift(session.id, "paired_expires_at = now() - interval '1 second'");
  await expect(authenticate(session.actor)).rejects.toMatchObject({ status: 401 });
});

it("A user's list of sessions has only their own, with browser, address and a mark on the current one", async () => {
  const user = await t.createUser();
  const [here, there] = [await signIn(user.id), await signIn(user.id)];
  await signIn((await t.createUser()).id);
  const sessions = await listSessions(here.actor);
  expect(sessions.map(({ id }) => id).sort()).toEqual([here.id, there.id].sort());
  const mine = { is_current: true, user_agent: "Firefox", ip: "192.0.2.1", paired: false };
  expect(sessions.find(({ id }) => id === here.id)).toMatchObject(mine);
});

it("Visitors of a demo account see no address and no browser of one another", async () => {
  const demo = await t.createUser({ demo: true });
  const [here] = [await signIn(demo.id), await signIn(demo.id)];
  expect((await listSessions(here.actor)).map(({ id }) => id)).toEqual([here.id]);
  expect(await listAuditEvents(here.actor, {})).toEqual([]);
});

it("A user can end their sessions one by one or all others, never those of someone else", async () => {
  const user = await t.createUser();
  const [here, second, third] = [await signIn(user.id), await signIn(user.id), await signIn(user.id)];
  const stranger = await signIn((await t.createUser()).id);
  await expect(revokeSession(here.actor, { session_id: stranger.id })).rejects.toMatchObject({ status: 404 });
  await revokeSession(here.actor, { session_id: second.id });
  await expect(authenticate(second.actor)).rejects.toMatchObject({ status: 401 });
  expect(await revokeOtherSessions(here.actor)).toEqual({ ended: 1 });
  await expect(authenticate(third.actor)).rejects.toMatchObject({ status: 401 });
  await authenticate(here.actor);
  await authenticate(stranger.actor);
});

it("W2: a sign-in makes a new id and ends the session that the browser had", async () => {
  const user = await t.createUser();
  const before = await signIn(user.id);
  const after = await createSession(t.database, user.id, { ...browser, previousSessionId: before.id });
  expect(after.session_id).not.toBe(before.id);
  await expect(authenticate(before.actor)).rejects.toMatchObject({ status: 401 });
});

it("W3: a password change ends all other sessions; the flags are read again on each request", async () => {
  const user = await t.createUser();
  const [here, there] = [await signIn(user.id), await signIn(user.id)];
  await notePasswordChange(t.database, { userId: user.id, keepSessionId: here.id });
  await expect(authenticate(there.actor)).rejects.toMatchObject({ status: 401 });
  await t.query`update users set is_demo = true, role = 'ADMIN', must_reset_password = true where id = ${user.id}`;
  expect(await authenticate(here.actor)).toMatchObject({ is_demo: true, role: "ADMIN", must_reset_password: true });
});

it("An API token notes its use once a minute, and its uses never wait for each other", async () => {
  const user = await t.createUser();
  const hash = createHash("sha256").update(randomBytes(32)).digest();
  await t.query`insert into api_tokens (user_id, label, prefix, token_hash) values (${user.id}, 'x', 'x', ${hash})`;
  const actor = { database: t.database, credential: { token_hash: hash.toString("hex") } };
  await Promise.all(Array.from({ length: 20 }, () => authenticate(actor)));
  const rows = await t.query`select last_used_at from public.api_tokens where token_hash = ${hash}`;
  expect(rows[0].last_used_at).not.toBeNull();
  await authenticate(actor);
  const again = await t.sql.query("select last_used_at from public.api_tokens where token_hash = $1", [hash]);
  expect(again.rows[0].last_used_at).toEqual(rows[0].last_used_at);
});

it("An account banned in Supabase Auth is out at once, and lifting the ban brings no session back", async () => {
  const user = await t.createUser();
  const { actor } = await signIn(user.id);
  await authenticate(actor);
  const auth = new pg.Client({ connectionString: t.urlFor("supabase_auth_admin") });
  await auth.connect();
  const ban = (until: string) => auth.query(`update auth.users set banned_until = ${until} where id = $1`, [user.id]);
  await ban("now() - interval '1 hour'");
  await authenticate(actor);
  await ban("now() + interval '1 hour'");
  await expect(authenticate(actor)).rejects.toMatchObject({ status: 401 });
  await ban("null");
  await expect(authenticate(actor)).rejects.toMatchObject({ status: 401 });
  await auth.end();
});
