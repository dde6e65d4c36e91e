import { randomUUID } from "node:crypto";
import { createClient } from "@supabase/supabase-js";
import { SignJWT } from "jose";
import { webSocketTransport } from "~/db/web-socket-transport.server";
import type { TestDatabase } from "./database";

export interface TestUser {
  id: string;
  username: string;
  email: string;
  password: string;
}

export interface UserOptions {
  username?: string;
  demo?: boolean;
  role?: "DEVELOPER" | "ADMIN";
  mustResetPassword?: boolean;
}

/** A user who can sign in with `password`. Many are needed, so the hash is made as cheap as it may be. */
export async function createUser(
  t: Pick<TestDatabase, "sql">,
  options: UserOptions = {},
): Promise<TestUser> {
  const id = randomUUID();
  const username = options.username ?? `user-${id.slice(0, 8)}`;
  const user = {
    id,
    username,
    email: `${username}@example.com`,
    password: "correct horse battery",
  };
  await t.sql.query(
    `with identity as (
       insert into auth.users (instance_id, id, aud, role, email, encrypted_password, email_confirmed_at,
                               created_at, updated_at, raw_app_meta_data, raw_user_meta_data,
                               confirmation_token, recovery_token, email_change, email_change_token_new)
       values ('00000000-0000-0000-0000-000000000000', $1, 'authenticated', 'authenticated', $2,
               extensions.crypt($3, extensions.gen_salt('bf', 4)), now(), now(), now(),
               '{"provider":"email","providers":["email"]}', jsonb_build_object('username', $4::text), '', '', '', '')
       returning id, email)
     insert into auth.identities (id, provider, provider_id, user_id, identity_data, created_at, updated_at)
     select gen_random_uuid(), 'email', id::text, id,
            jsonb_build_object('sub', id::text, 'email', email, 'email_verified', true), now(), now()
       from identity`,
    [id, user.email, user.password, username],
  );
  await t.sql.query(
    `insert into public.users (id, username, email, role, is_demo, must_reset_password)
     values ($1, $2, $3, $4, $5, $6)
     on conflict (id) do update set username = excluded.username, role = excluded.role,
       is_demo = excluded.is_demo, must_reset_password = excluded.must_reset_password`,
    [
      id,
      username,
      user.email,
      options.role ?? "DEVELOPER",
      options.demo ?? false,
      options.mustResetPassword ?? false,
    ],
  );
  return user;
}

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
    global: {
      fetch: t.supabase.fetch,
      headers: token ? { Authorization: `Bearer ${token}` } : {},
    },
    realtime: { transport: webSocketTransport },
  });
}
