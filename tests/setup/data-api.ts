import { randomUUID } from "node:crypto";
import { createClient } from "@supabase/supabase-js";
import { SignJWT } from "jose";
import { webSocketTransport } from "~/db/web-socket-transport.server";
import type { TestDatabase } from "./database";

/** What Supabase Auth would issue to this user, for requests straight to the Data API and Realtime. */
export function tokenOf(t: TestDatabase, user: { id: string }): Promise<string> {
  return new SignJWT({ role: "authenticated", aud: "authenticated", session_id: randomUUID() })
    .setProtectedHeader({ alg: "HS256", typ: "JWT" })
    .setSubject(user.id)
    .setIssuedAt()
    .setExpirationTime("1h")
    .sign(new TextEncoder().encode(t.supabase.jwtSecret));
}

/**
 * supabase-js straight at the Data API with the JWT of a user, past all our routes; `null` is anonymous,
 * `"service"` holds the secret key.
 */
export async function dataApi(t: TestDatabase, user: { id: string } | null | "service") {
  const key = user === "service" ? t.supabase.secretKey : t.supabase.publishableKey;
  const token = user !== null && user !== "service" ? await tokenOf(t, user) : null;
  return createClient(t.supabase.supabaseUrl, key, {
    auth: { persistSession: false, autoRefreshToken: false },
    global: { fetch: t.supabase.fetch, headers: token ? { Authorization: `Bearer ${token}` } : {} },
    realtime: { transport: webSocketTransport },
  });
}
