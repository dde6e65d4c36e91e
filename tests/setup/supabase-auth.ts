import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { dirname } from "node:path";
import { buffer } from "node:stream/consumers";
import { setTimeout as pause } from "node:timers/promises";
import { promisify } from "node:util";
import { SignJWT } from "jose";
import pg from "pg";
import PostalMime from "postal-mime";
import { SMTPServer } from "smtp-server";
import type { Mail } from "../../supabase/embedded/data-api/lite-app";
import { findFreePort } from "../../supabase/embedded/postgres/free-port";
import type { EmbeddedSecrets } from "../../supabase/embedded/secrets";

/**
 * Supabase Auth itself: the path of its program, built from its own source with the folder `migrations` next to it.
 * When it is unset, the stand-in of the embedded stack answers.
 */
export const authProgram = process.env.SUPABASE_AUTH_PROGRAM;

export interface SupabaseAuthOptions {
  urlFor(role: string): string;
  secrets: EmbeddedSecrets;
  siteUrl: string;
  sendMail: (mail: Mail) => Promise<void>;
  /** Auth's own variables, on top of those below. */
  settings?: Record<string, string>;
}

export interface SupabaseAuth {
  /** Answers what a Supabase project answers under /auth/v1. */
  fetch(request: Request): Promise<Response>;
  stop(): Promise<void>;
}

/** Puts Auth's own tables in place of those that the stand-in reads. Before the project's migrations. */
export async function migrateAuth(program: string, urlFor: (role: string) => string): Promise<void> {
  const admin = new pg.Client({ connectionString: urlFor("supabase_admin") });
  await admin.connect();
  try {
    await admin.query(`drop schema auth cascade; create schema auth authorization supabase_auth_admin`);
    const env = variables({ databaseUrl: urlFor("supabase_auth_admin"), jwtSecret: "unused" });
    await promisify(execFile)(program, ["migrate"], { cwd: dirname(program), env });
    await admin.query(grantedToProjects);
  } finally {
    await admin.end();
  }
}

/** What a Supabase project grants after Auth's migrations. */
const grantedToProjects = `
  grant usage on schema auth to anon, authenticated, service_role, postgres, authenticator;
  grant all on all tables in schema auth to postgres with grant option;
  grant select on auth.users to authenticator`;

/** One Auth over the test's database, started by the first request, with its mail caught. */
export function openSupabaseAuth(program: string, options: SupabaseAuthOptions): SupabaseAuth {
  let running: Promise<{ origin: string; stop(): Promise<void> }> | undefined;
  return {
    async fetch(request) {
      running ??= startAuth(program, options);
      const { origin } = await running;
      const { pathname, search } = new URL(request.url);
      const headers = await withToken(request, options.secrets);
      const body = request.body === null ? undefined : await request.arrayBuffer();
      const address = `${origin}${pathname.replace(/^\/auth\/v1/, "")}${search}`;
      return fetch(address, { method: request.method, headers, body, redirect: "manual" });
    },
    stop: async () => (await running)?.stop(),
  };
}

/** The gateway of a project turns its two keys into the tokens that Auth reads. */
async function withToken(request: Request, secrets: EmbeddedSecrets): Promise<Headers> {
  const headers = new Headers(request.headers);
  const key = headers.get("apikey");
  const bearer = headers.get("authorization")?.replace(/^Bearer /i, "");
  const role = key === secrets.secretKey ? "service_role" : "anon";
  if (bearer === undefined || bearer === key) {
    const token = await new SignJWT({ role })
      .setProtectedHeader({ alg: "HS256" })
      .setIssuedAt()
      .setExpirationTime("1h")
      .sign(new TextEncoder().encode(secrets.jwtSecret));
    headers.set("authorization", `Bearer ${token}`);
  }
  headers.delete("content-length");
  headers.delete("host");
  return headers;
}

async function startAuth(program: string, options: SupabaseAuthOptions) {
  const mail = await catchMail(options.sendMail);
  const port = await findFreePort();
  const env = {
    ...variables({
      databaseUrl: options.urlFor("supabase_auth_admin"),
      jwtSecret: options.secrets.jwtSecret,
      siteUrl: options.siteUrl,
    }),
    PORT: String(port),
    GOTRUE_SMTP_PORT: String(mail.port),
    ...options.settings,
  };
  const child = spawn(program, ["serve"], { cwd: dirname(program), env, stdio: "pipe" });
  const origin = `http://127.0.0.1:${port}`;
  await Promise.race([answers(origin), ended(child)]);
  return {
    origin,
    async stop() {
      child.kill("SIGKILL");
      await Promise.all([once(child, "exit"), mail.stop()]);
    },
  };
}

async function answers(origin: string): Promise<void> {
  const isUp = () =>
    fetch(`${origin}/health`).then(
      (response) => response.ok,
      () => false,
    );
  while (!(await isUp())) await pause(20);
}

async function ended(child: ChildProcess): Promise<never> {
  let output = "";
  child.stdout?.on("data", (chunk: Buffer) => (output += chunk.toString()));
  child.stderr?.on("data", (chunk: Buffer) => (output += chunk.toString()));
  const [code] = await once(child, "exit");
  throw new Error(`Supabase Auth ended with ${code}: ${output}`);
}

function variables(options: { databaseUrl: string; jwtSecret: string; siteUrl?: string }) {
  return {
    ...process.env,
    DATABASE_URL: options.databaseUrl,
    DB_NAMESPACE: "auth",
    API_EXTERNAL_URL: "http://127.0.0.1:9/auth/v1",
    GOTRUE_API_HOST: "127.0.0.1",
    GOTRUE_DB_DRIVER: "postgres",
    GOTRUE_SITE_URL: options.siteUrl ?? "http://127.0.0.1:9",
    GOTRUE_URI_ALLOW_LIST: "http://**",
    GOTRUE_JWT_SECRET: options.jwtSecret,
    GOTRUE_JWT_AUD: "authenticated",
    GOTRUE_JWT_DEFAULT_GROUP_NAME: "authenticated",
    GOTRUE_JWT_ADMIN_ROLES: "supabase_admin,service_role",
    GOTRUE_EXTERNAL_EMAIL_ENABLED: "true",
    GOTRUE_MAILER_AUTOCONFIRM: "true",
    GOTRUE_MAILER_URLPATHS_CONFIRMATION: "/auth/v1/verify",
    GOTRUE_MAILER_URLPATHS_RECOVERY: "/auth/v1/verify",
    GOTRUE_PASSWORD_MIN_LENGTH: "10",
    GOTRUE_SMTP_HOST: "127.0.0.1",
    GOTRUE_SMTP_ADMIN_EMAIL: "auth@example.com",
    GOTRUE_SMTP_MAX_FREQUENCY: "1ms",
    GOTRUE_RATE_LIMIT_EMAIL_SENT: "1000",
  };
}

async function catchMail(deliver: (mail: Mail) => Promise<void>) {
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ["STARTTLS"],
    onData(stream, session, done) {
      buffer(stream)
        .then((raw) => PostalMime.parse(raw))
        .then(({ subject = "", text = "", html }) => {
          const to = session.envelope.rcptTo[0]?.address ?? "";
          return deliver({ to, subject, text: text || (html ?? ""), html });
        })
        .then(() => done(), done);
    },
  });
  server.listen(0, "127.0.0.1");
  await once(server.server, "listening");
  const address = server.server.address();
  const port = typeof address === "object" && address ? address.port : 0;
  return { port, stop: () => new Promise<void>((resolve) => server.close(() => resolve())) };
}
