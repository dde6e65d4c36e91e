import { createClient } from "@supabase/supabase-js";
import { SignJWT } from "jose";
import pg from "pg";
import { afterAll, describe, expect, it } from "vitest";
import { webSocketTransport } from "~/db/web-socket-transport.server";
import { listenTo } from "../setup/broadcast-listener";
import { createTestDatabase } from "../setup/database";
import { createUser, tokenOf } from "../setup/users";

const t = await createTestDatabase({ realtime: true });
const ada = await createUser(t, { username: "ada" });
const bob = await createUser(t, { username: "bob" });
const { publishableKey, secretKey, jwtSecret } = t.supabase;

/** The unchanged client of supabase-js; with a token it joins as that user. */
async function channelOf(
  topic: string,
  options: { key?: string; token?: string; isPrivate?: boolean },
) {
  const client = createClient(t.supabase.supabaseUrl, options.key ?? publishableKey, {
    auth: { persistSession: false, autoRefreshToken: false },
    realtime: { transport: webSocketTransport },
  });
  if (options.token) await client.realtime.setAuth(options.token);
  afterAll(() => void client.removeAllChannels());
  return client.channel(topic, { config: { private: options.isPrivate ?? true } });
}

async function join(topic: string, options: Parameters<typeof channelOf>[1]) {
  return listenTo(await channelOf(topic, options));
}

function send(topic: string, payload: unknown, isPrivate = true) {
  return t.sql.query("select realtime.send($1::jsonb, 'change', $2, $3)", [
    JSON.stringify(payload),
    topic,
    isPrivate,
  ]);
}

describe("the broadcast server", () => {
  it("delivers what realtime.send writes, with an id added", async () => {
    const heard = await join("pairing:x", { key: secretKey });
    expect(await heard.state()).toBe("SUBSCRIBED");
    await send("pairing:x", { n: 1 });
    await send("pairing:x", { n: 2, id: "mine" });
    expect(await heard.next()).toMatchObject({
      n: 1,
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    });
    expect(await heard.next()).toEqual({ n: 2, id: "mine" });
  });

  it("delivers every one of many equal payloads of one transaction, in order", async () => {
    const heard = await join("pairing:many", { key: secretKey });
    expect(await heard.state()).toBe("SUBSCRIBED");
    await t.sql.query(
      "select realtime.send('{\"same\": true}', 'change', 'pairing:many', true) from generate_series(1, 50)",
    );
    for (let count = 0; count < 50; count++)
      expect(await heard.next()).toMatchObject({ same: true });
  });

  it("lets a user join her own topic, and refuses others, strangers and expired tokens", async () => {
    const topic = `user:${ada.id}`;
    const joinAs = async (options: Parameters<typeof channelOf>[1]) =>
      (await join(topic, options)).state();
    expect(await joinAs({ token: await tokenOf(t, ada) })).toBe("SUBSCRIBED");
    expect(await joinAs({ token: await tokenOf(t, bob) })).toBe("CHANNEL_ERROR");
    expect(await joinAs({})).toBe("CHANNEL_ERROR");
    expect(await joinAs({ token: await sign({ exp: 1_000 }) })).toBe("CHANNEL_ERROR");
    expect(await joinAs({ token: await sign({ role: "supabase_realtime_admin" }) })).toBe(
      "CHANNEL_ERROR",
    );
    expect(await joinAs({ key: secretKey, isPrivate: false })).toBe("CHANNEL_ERROR");
  });

  it("refuses a token that someone else signed", async () => {
    const forged = await sign({ role: "service_role" }, "another secret of at least 32 characters");
    expect(await (await join(`user:${ada.id}`, { token: forged })).state()).toBe("CHANNEL_ERROR");
  });

  it("does not deliver a public message to a private channel, nor a message of another topic", async () => {
    const heard = await join("pairing:quiet", { key: secretKey });
    expect(await heard.state()).toBe("SUBSCRIBED");
    await send("pairing:quiet", { n: 1 }, false);
    await send("pairing:other", { n: 2 });
    await send("pairing:quiet", { n: 3 });
    expect(await heard.next()).toMatchObject({ n: 3 });
  });

  it("closes a channel when its token ends", async () => {
    // Long enough to join first, however busy the machine is.
    const soon = Math.floor(Date.now() / 1000) + 5;
    const heard = await join(`user:${ada.id}`, { token: await sign({ sub: ada.id, exp: soon }) });
    expect(await heard.state()).toBe("SUBSCRIBED");
    expect(await heard.state()).toBe("CLOSED");
  });

  it("cuts its clients when the feed is interrupted, and serves them again afterwards", async () => {
    const heard = await join("pairing:cut", { key: secretKey });
    expect(await heard.state()).toBe("SUBSCRIBED");
    await interruptFeed();
    expect(await heard.state()).toBe("CHANNEL_ERROR");
    expect(await heard.state()).toBe("SUBSCRIBED");
    await send("pairing:cut", { after: true });
    expect(await heard.next()).toMatchObject({ after: true });
  });

  it("keeps no slot once it has stopped", async () => {
    const other = await createTestDatabase({ realtime: true });
    const slots = "select count(*)::int as n from pg_replication_slots where database = $1";
    const name = (await other.sql.query("select current_database() as name")).rows[0].name;
    expect((await t.sql.query(slots, [name])).rows[0].n).toBe(1);
    await other.supabase.stop();
    await expect.poll(async () => (await t.sql.query(slots, [name])).rows[0].n).toBe(0);
  });
});

describe("realtime.send", () => {
  it("turns its own errors into warnings, so that no writer fails because of an event", async () => {
    const client = await t.sql.connect();
    const notices: string[] = [];
    client.on("notice", (notice) => notices.push(notice.message ?? ""));
    await client.query("begin; select realtime.send('[1]'::jsonb, 'change', null, true); commit");
    client.release();
    expect(notices.join()).toContain("ErrorSendingBroadcastMessage");
  });

  it("may not be used by a user to send to anybody", async () => {
    const client = await t.sql.connect();
    await client.query("begin; set local role authenticated");
    await client.query("select realtime.send('{}'::jsonb, 'change', 'user:x', true)");
    const { rows } = await client
      .query("reset role; select 1")
      .then(() =>
        client.query("select count(*)::int as n from realtime.messages where topic = 'user:x'"),
      );
    await client.query("rollback");
    client.release();
    expect(rows[0].n).toBe(0);
  });
});

async function interruptFeed(): Promise<void> {
  const client = new pg.Client({ connectionString: t.urlFor("supabase_admin") });
  await client.connect();
  await client.query(
    `select pg_terminate_backend(active_pid) from pg_replication_slots where database = current_database()`,
  );
  await client.end();
}

function sign(claims: Record<string, unknown>, secret = jwtSecret): Promise<string> {
  const exp = Math.floor(Date.now() / 1000) + 600;
  return new SignJWT({ role: "authenticated", sub: ada.id, exp, ...claims })
    .setProtectedHeader({ alg: "HS256", typ: "JWT" })
    .sign(new TextEncoder().encode(secret));
}
