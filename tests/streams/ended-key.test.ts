import { setTimeout as pause } from "node:timers/promises";
import { RealtimeClient } from "@supabase/supabase-js";
import { SignJWT } from "jose";
import { afterAll, expect, it } from "vitest";
import { createUpstream } from "~/db/upstream";
import { webSocketTransport } from "~/db/web-socket-transport.server";
import { createTestDatabase } from "../setup/database";

const t = await createTestDatabase({ realtime: {} });
const nextKey = await keyUntil(Date.now() + 600_000);
let shortLived = "";
const realtimeUrl = `${t.supabase.supabaseUrl.replace("http", "ws")}/realtime/v1`;

/** What the gateway of a hosted project makes of a secret key: a token that ends. */
function keyUntil(end: number): Promise<string> {
  return new SignJWT({ role: "service_role" })
    .setProtectedHeader({ alg: "HS256" })
    .setExpirationTime(Math.floor(end / 1000))
    .sign(new TextEncoder().encode(t.supabase.jwtSecret));
}

const clients: RealtimeClient[] = [];
const upstream = createUpstream({
  connect() {
    const client = new RealtimeClient(realtimeUrl, {
      params: { apikey: clients.length === 0 ? shortLived : nextKey },
      transport: webSocketTransport,
    });
    clients.push(client);
    return client;
  },
  reopenAfterMs: 100,
});
afterAll(() => upstream.close());

function joined(topic: string): Promise<void> {
  return new Promise((resolve) => {
    upstream.join(topic, { joined: resolve, lost: () => {}, message: () => {} });
  });
}

it("A connection that refuses joins since its key ended is replaced, even while a channel lives on", async () => {
  // Long enough for the first join, however busy the machine is.
  const end = Date.now() + 6000;
  shortLived = await keyUntil(end);
  await joined("product:first");
  const [first] = clients;
  await first?.setAuth(t.supabase.secretKey);
  if (first) first.accessTokenValue = null;

  await pause(end + 500 - Date.now());
  await joined("product:second");
  expect(clients).toHaveLength(2);
  await joined("product:third");
  expect(clients).toHaveLength(2);
  expect(upstream.sockets).toBe(2);
});

it("A channel that cannot be left in order still frees its place and its connection", async () => {
  const stubborn = createUpstream({
    connect() {
      const client = new RealtimeClient(realtimeUrl, {
        params: { apikey: t.supabase.secretKey },
        transport: webSocketTransport,
      });
      client.removeChannel = () => Promise.reject(new Error("It is gone"));
      return client;
    },
  });
  const leave = await new Promise<() => void>((resolve) => {
    const left = stubborn.join("product:stubborn", { joined: () => resolve(left), lost: () => {}, message: () => {} });
  });
  expect(stubborn.channels).toBe(1);
  leave();
  await expect.poll(() => [stubborn.channels, stubborn.sockets]).toEqual([0, 0]);
  await stubborn.close();
});
