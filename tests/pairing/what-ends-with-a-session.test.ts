import { createHash, randomBytes } from "node:crypto";
import { expect, it } from "vitest";
import { openApp } from "../setup/app";
import { bearer, type TestUser } from "../setup/world";

const { t, app } = await openApp();

const hash = () => createHash("sha256").update(randomBytes(32));

function call(user: TestUser, sessionId: string, name: string, given: Record<string, unknown>) {
  return t.database.callAs({ user_id: user.id, session_id: sessionId }, name, given);
}

async function session(user: TestUser, paired: boolean): Promise<string> {
  const rows = await t.query`insert into public.user_sessions (user_id, paired, paired_expires_at, expires_at)
     values (${user.id}, ${paired}, case when ${paired} then now() + interval '8 hours' end,
       now() + interval '8 hours') returning id`;
  return rows[0].id;
}

/** A desktop that the session let in: its pairing and the session that came of it. */
async function letIn(user: TestUser, by: string) {
  const secret = randomBytes(32);
  const rows = await t.query`
    insert into public.login_pairings (mobile_secret_hash, desktop_token_hash, check_code, expires_at)
    values (${createHash("sha256").update(secret).digest()}, ${hash().digest()}, '123 456', now() + interval '5 minutes') returning id`;
  const pairing: string = rows[0].id;
  const digest = createHash("sha256").update(secret).digest("hex");
  await call(user, by, "approve_pairing", { p_pairing_id: pairing, p_mobile_secret_hash: digest });
  const desktop = await session(user, true);
  await t.query`update public.login_pairings set status = 'CONSUMED', consumed_at = now(),
    session_id = ${desktop} where id = ${pairing}`;
  return { pairing, desktop };
}

async function tokenMadeIn(user: TestUser, sessionId: string): Promise<string> {
  const token = `blm_${randomBytes(32).toString("base64url")}`;
  await call(user, sessionId, "create_api_token", {
    p_label: "left behind",
    p_prefix: token.slice(0, 8),
    p_token_hash: createHash("sha256").update(token).digest("hex"),
  });
  return token;
}

const answerTo = async (token: string) => (await app.request("/api/products", { headers: bearer(token) })).status;
const isLive = async (id: string) =>
  (await t.query`select revoked_at from public.user_sessions where id = ${id}`)[0].revoked_at === null;

it.each(["revoke_pairing", "revoke_session"])(
  "%s takes back the tokens that a paired desktop made and the desktops that it let in",
  async (operation) => {
    const user = await t.createUser();
    const phone = await session(user, false);
    const kept = await tokenMadeIn(user, phone);
    const first = await letIn(user, phone);
    const second = await letIn(user, first.desktop);
    const tokens = [await tokenMadeIn(user, first.desktop), await tokenMadeIn(user, second.desktop)];
    expect(await Promise.all([kept, ...tokens].map(answerTo))).toEqual([200, 200, 200]);

    const named = operation === "revoke_pairing" ? { p_pairing_id: first.pairing } : { p_session_id: first.desktop };
    await call(user, phone, operation, named);
    expect(await Promise.all([kept, ...tokens].map(answerTo))).toEqual([200, 401, 401]);
    expect([await isLive(phone), await isLive(first.desktop), await isLive(second.desktop)]).toEqual([
      true,
      false,
      false,
    ]);
  },
);

it("an ordinary session that ends leaves its tokens, which its user made", async () => {
  const user = await t.createUser();
  const browser = await session(user, false);
  const token = await tokenMadeIn(user, browser);
  await call(user, await session(user, false), "revoke_session", { p_session_id: browser });
  expect(await answerTo(token)).toBe(200);
});

it("a browser is notified only while it is signed in", async () => {
  const user = await t.createUser();
  const browser = await session(user, false);
  const keys = { p_endpoint: "https://push.example.com/1", p_p256dh: "k", p_auth: "a" };
  await call(user, browser, "subscribe_push", keys);
  const told = async () => {
    await t.query`insert into public.notices (kind, user_id, payload, next_attempt_at)
      values ('run_done', ${user.id}, '{}', now())`;
    const rows = await t.query`select operations.take_due_notices() as taken`;
    return rows[0].taken.notices.map((notice: { subscriptions: unknown[] }) => notice.subscriptions.length);
  };
  expect(await told()).toEqual([1]);
  await t.database.call("end_session", { p_session_id: browser });
  expect(await told()).toEqual([0]);
});

/** Every table that notes a session or lives as long as a sign-in, and what ends its rows. A new one must be written here. */
const endings: Record<string, string> = {
  "login_pairings.session_id": "revoke_pairing and revoke_session end the session",
  "login_pairings.approved_in": "end_session_chain cancels what is not claimed yet",
  "api_tokens.session_id": "end_session_chain revokes what a paired session made",
  "oauth_codes.session_id":
    "redeem_oauth_code refuses codes of a session that has ended, forgetting the session deletes them",
  "preview_tickets.session_id":
    "get_preview_access shows nothing to a session that has ended, forgetting the session deletes them",
  "push_subscriptions.session_id": "take_due_notices leaves them out, forgetting the session deletes them",
};

it("everything that a session makes is listed with what ends it", async () => {
  const rows = await t.query`select c.conrelid::regclass::text || '.' || a.attname as place
     from pg_constraint c join pg_attribute a on a.attrelid = c.conrelid and a.attnum = any (c.conkey)
    where c.confrelid = 'public.user_sessions'::regclass and c.contype = 'f' order by 1`;
  expect(rows.map(({ place }) => place)).toEqual(Object.keys(endings).sort());
});
