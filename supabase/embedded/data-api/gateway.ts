import { randomUUID } from "node:crypto";
import pg from "pg";
import { z } from "zod";
import type { EmbeddedSecrets } from "../secrets";
import { createLiteApp, type Mail } from "./lite-app";

export interface Gateway {
  /** Answers /auth/v1 and /rest/v1 like the HTTP gateway of a Supabase project. */
  fetch: typeof fetch;
  close(): Promise<void>;
}

export interface GatewayOptions {
  urlFor(role: string): string;
  secrets: EmbeddedSecrets;
  siteUrl: string;
  sendMail: (mail: Mail) => Promise<void>;
}

/** Two logins as on a hosted project: Auth owns schema auth alone; the Data API switches to the role in the token. */
export function openGateway(options: GatewayOptions): Gateway {
  const { urlFor, secrets, siteUrl, sendMail } = options;
  const catalogUrl = urlFor("postgres");
  const make = (role: string, connections: number) =>
    once(() => createLiteApp({ databaseUrl: urlFor(role), catalogUrl, connections, secrets, siteUrl, sendMail }));
  const auth = make("supabase_auth_admin", 3);
  const data = make("authenticator", 8);
  const admin = once(() => openAuthAdmin(options.urlFor("supabase_auth_admin"), options.secrets.secretKey));
  return {
    async fetch(input, init) {
      const request = new Request(input, init);
      const { pathname } = new URL(request.url);
      if (pathname.startsWith("/auth/v1/admin/users")) {
        const answer = await admin.get().answer(request);
        if (answer) return answer;
      }
      if (pathname.startsWith("/auth/v1/")) return auth.get().fetch(request);
      if (pathname.startsWith("/rest/v1/")) return data.get().fetch(request);
      return Response.json({ message: "no Route matched with those values" }, { status: 404 });
    },
    async close() {
      await Promise.all([auth.peek()?.close(), data.peek()?.close(), admin.peek()?.close()]);
    },
  };
}

/** Creates a value on first use, so that the start does not wait for it. */
function once<T>(make: () => T): { get(): T; peek(): T | undefined } {
  let made: T | undefined;
  return {
    get() {
      made ??= make();
      return made;
    },
    peek: () => made,
  };
}

/**
 * What the app uses of Auth's admin API and @supabase/lite lacks, with the secret key only. Passwords are hashed like
 * in Auth (bcrypt), so that lite can verify them.
 */
interface AuthAdmin {
  /** Returns undefined for paths outside the admin API. */
  answer(request: Request): Promise<Response | undefined>;
  close(): Promise<void>;
}

const attributesSchema = z.object({
  email: z.string().toLowerCase().optional(),
  password: z.string().min(10).max(72).optional(),
  email_confirm: z.boolean().optional(),
  user_metadata: z.record(z.string(), z.unknown()).optional(),
  app_metadata: z.record(z.string(), z.unknown()).optional(),
});
type Attributes = z.infer<typeof attributesSchema>;

const userPath = /^\/auth\/v1\/admin\/users(?:\/([0-9a-f-]{36}))?$/;
const shownColumns = `id, aud, role, email, email_confirmed_at, last_sign_in_at, created_at, updated_at,
  raw_app_meta_data as app_metadata, raw_user_meta_data as user_metadata, '[]'::jsonb as identities`;

function openAuthAdmin(databaseUrl: string, secretKey: string): AuthAdmin {
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 2, idleTimeoutMillis: 5000 });
  pool.on("error", () => undefined);
  return {
    async answer(request) {
      const match = userPath.exec(new URL(request.url).pathname);
      if (!match) return undefined;
      const { headers } = request;
      const keys = [headers.get("apikey"), headers.get("authorization")?.replace(/^Bearer /i, "")];
      if (!keys.includes(secretKey)) return failure(403, "not_admin", "User not allowed");
      try {
        return await perform(pool, request, match[1]);
      } catch (error) {
        return failureOf(error);
      }
    },
    close: () => pool.end(),
  };
}

async function perform(pool: pg.Pool, request: Request, id: string | undefined) {
  if (request.method === "POST" && id === undefined) return createUser(pool, await read(request));
  if (id === undefined) return failure(405, "method_not_allowed", "Method not allowed");
  if (request.method === "PUT") return updateUser(pool, id, await read(request));
  if (request.method === "DELETE") {
    return one(await pool.query(`delete from auth.users where id = $1 returning ${shownColumns}`, [id]));
  }
  return one(await pool.query(`select ${shownColumns} from auth.users where id = $1`, [id]));
}

async function read(request: Request): Promise<Attributes> {
  return attributesSchema.parse(await request.json());
}

async function createUser(pool: pg.Pool, attributes: Attributes): Promise<Response> {
  const { email, password, email_confirm: isConfirmed } = attributes;
  if (!email) return failure(400, "validation_failed", "An email address is required");
  const values = [
    randomUUID(),
    email,
    password ?? randomUUID(),
    isConfirmed ?? false,
    attributes.app_metadata ?? {},
    attributes.user_metadata ?? {},
  ];
  return one(
    await pool.query(
      `with created as (
         insert into auth.users (id, email, encrypted_password, email_confirmed_at, raw_app_meta_data, raw_user_meta_data)
         values ($1, $2, extensions.crypt($3, extensions.gen_salt('bf', 10)), case when $4 then now() end,
           '{"provider":"email","providers":["email"]}'::jsonb || $5::jsonb, $6::jsonb)
         returning *
       ), identity as (
         insert into auth.identities (id, provider, provider_id, user_id, identity_data)
         select gen_random_uuid(), 'email', id::text, id,
           jsonb_build_object('sub', id::text, 'email', email, 'email_verified', true)
         from created
       )
       select ${shownColumns} from created`,
      values,
    ),
  );
}

/** Updates a user. A new password also ends the user's sessions in Auth. */
async function updateUser(pool: pg.Pool, id: string, attributes: Attributes): Promise<Response> {
  const { email, password, email_confirm: isConfirmed } = attributes;
  const values = [
    id,
    email ?? null,
    password ?? null,
    isConfirmed ?? false,
    attributes.app_metadata ?? {},
    attributes.user_metadata ?? {},
  ];
  return one(
    await pool.query(
      `with ended as (delete from auth.sessions where user_id = $1 and $3::text is not null)
       update auth.users set
         email = coalesce($2, email),
         encrypted_password = coalesce(extensions.crypt($3, extensions.gen_salt('bf', 10)), encrypted_password),
         email_confirmed_at = case when $4 then coalesce(email_confirmed_at, now()) else email_confirmed_at end,
         raw_app_meta_data = raw_app_meta_data || $5::jsonb,
         raw_user_meta_data = raw_user_meta_data || $6::jsonb,
         updated_at = now()
       where id = $1
       returning ${shownColumns}`,
      values,
    ),
  );
}

function one(result: pg.QueryResult): Response {
  const user: unknown = result.rows[0];
  return user === undefined ? failure(404, "user_not_found", "User not found") : Response.json(user);
}

function failureOf(error: unknown): Response {
  if (error instanceof z.ZodError || error instanceof SyntaxError) {
    const isPassword = error instanceof z.ZodError && error.issues[0]?.path[0] === "password";
    return failure(422, isPassword ? "weak_password" : "validation_failed", "Invalid attributes");
  }
  if (error instanceof pg.DatabaseError && error.table === "users" && error.schema === "auth") {
    return failure(422, "email_exists", "A user with this email address has already been registered");
  }
  return failure(500, "unexpected_failure", "Database error");
}

function failure(status: number, code: string, message: string): Response {
  return Response.json({ code: status, error_code: code, msg: message }, { status });
}
