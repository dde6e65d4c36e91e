import { AsyncLocalStorage } from "node:async_hooks";
import { App } from "@supabase/lite";
import { createPostgresConnection } from "@supabase/lite/postgres";
import { Kysely, PostgresDialect } from "kysely";
import pg from "pg";
import { z } from "zod";
import type { EmbeddedSecrets } from "../secrets";

mendProcessWarnings();

/** An email that Auth wants delivered, such as password recovery. */
export type Mail = { to: string; subject: string; text: string; html?: string };

interface LiteOptions {
  databaseUrl: string;
  /** Login that sees every table, for the schema cache. The one above sees none without switching roles. */
  catalogUrl: string;
  connections: number;
  secrets: EmbeddedSecrets;
  siteUrl: string;
  sendMail: (mail: Mail) => Promise<void>;
}

/**
 * For row level security lite would grant everything to the API roles. Privileges come from the migrations, so
 * `rlsState` says it is already done; its login role owns nothing and could not grant them anyway.
 */
export function createLiteApp(options: LiteOptions) {
  const connection = connectLite(options.databaseUrl, options.connections);
  const catalog = connectLite(options.catalogUrl, 1);
  connection.introspect = (how) => catalog.introspect(how);
  connection.normalizeDbError = rememberError;
  Reflect.set(connection, "rlsState", "active");
  const app = new App({
    connection,
    auth: {
      enabled: true,
      jwt_secret: options.secrets.jwtSecret,
      jwt_expiry: 3600,
      publishable_key: options.secrets.publishableKey,
      secret_key: options.secrets.secretKey,
      site_url: options.siteUrl,
      minimum_password_length: 10,
      enable_signup: true,
      email: { enable_signup: true, enable_confirmations: false },
    },
    storage: { enabled: false },
    options: {
      drivers: { email: { send: options.sendMail } },
      server: { disableStudio: true, disableFallback: true, admin: false },
    },
  });
  return {
    fetch: (request: Request): Promise<Response> => answerAsPostgrest(() => app.fetch(request)),
    async close(): Promise<void> {
      await Promise.all([connection.close(), catalog.close()]);
    },
  };
}

/** @supabase/lite's filter of `process.emitWarning` calls a method of strings, also on an `Error`: it gets this one. */
function mendProcessWarnings(): void {
  const filtered = process.emitWarning;
  process.emitWarning = (warning: string | Error, ...rest: unknown[]) => {
    const asked = typeof warning === "string" ? warning : Object.assign(warning, { includes: () => false });
    Reflect.apply(filtered, process, [asked, ...rest]);
  };
}

/**
 * Lite's queries over a `pg` pool. Its own (postgres.js) is never opened: it never answers a query that waits while a
 * connection closes, and never ends once it has reserved one (porsager/postgres 1195 and 925).
 */
function connectLite(url: string, connections: number) {
  const connection = createPostgresConnection({ url });
  const pool = new pg.Pool({
    connectionString: url,
    max: connections,
    idleTimeoutMillis: 10_000,
    options: "-c TimeZone=UTC",
    types: typesOfLite,
  });
  // A connection ended by Postgres is replaced at the next query. Its running query gets its own error.
  pool.on("error", () => undefined);
  pool.on("connect", (client) => client.on("error", () => undefined));
  connection.kysely = new Kysely({ dialect: new PostgresDialect({ pool }) });
  connection.close = () => pool.end();
  return connection;
}

const textsSchema = z.array(z.string().nullable());

/** Times stay text as Postgres wrote them. Numbers become JavaScript numbers if no digit is lost. */
const parsers = new Map<number, (text: string) => unknown>([
  [20 /* int8 */, toNumberIfExact],
  [1700 /* numeric */, toNumberIfExact],
  [1082 /* date */, asItIs],
  [1083 /* time */, asItIs],
  [1266 /* timetz */, asItIs],
  [1114 /* timestamp */, asItIs],
  [1184 /* timestamptz */, asItIs],
  [1016 /* int8[] */, toNumbers],
  [1231 /* numeric[] */, toNumbers],
  [1182 /* date[] */, toTexts],
  [1183 /* time[] */, toTexts],
  [1270 /* timetz[] */, toTexts],
  [1115 /* timestamp[] */, toTexts],
  [1185 /* timestamptz[] */, toTexts],
  // Used by catalog queries.
  [1002 /* "char"[] */, toTexts],
  [1003 /* name[] */, toTexts],
]);

/** Parses Postgres values as @supabase/lite expects them. */
const typesOfLite: pg.CustomTypesConfig = {
  getTypeParser: (oid: number, format?: "text" | "binary") =>
    (format !== "binary" && parsers.get(oid)) || pg.types.getTypeParser(oid, format ?? "text"),
};

function asItIs(text: string): string {
  return text;
}

function toNumberIfExact(text: string): number | string {
  const value = Number(text);
  return String(value) === text ? value : text;
}

function toTexts(text: string): (string | null)[] {
  const oid: number = 1009; /* text[] */
  return textsSchema.parse(pg.types.getTypeParser(oid, "text")(text));
}

function toNumbers(text: string): (number | string | null)[] {
  return toTexts(text).map((entry) => (entry === null ? null : toNumberIfExact(entry)));
}

const errorSchema = z.object({
  code: z.string().length(5),
  message: z.string(),
  detail: z.string().nullish(),
  hint: z.string().nullish(),
});
type PostgresError = z.infer<typeof errorSchema>;

const answering = new AsyncLocalStorage<{ error: PostgresError | undefined }>();
let isConsoleQuiet = false;

/** Postgres errors unknown to lite keep their code instead of a plain 500; refusals print no stack to our console. */
function answerAsPostgrest(work: () => Promise<Response>): Promise<Response> {
  quietConsole();
  const state: { error: PostgresError | undefined } = { error: undefined };
  return answering.run(state, async () => {
    const response = await work();
    return response.status === 500 && state.error ? nameError(response, state.error) : response;
  });
}

/** Remembers a database error for the current request and returns it unchanged to lite. */
function rememberError(error: unknown): unknown {
  const state = answering.getStore();
  const parsed = errorSchema.safeParse(error);
  if (state && parsed.success) state.error = parsed.data;
  return error;
}

async function nameError(response: Response, error: PostgresError): Promise<Response> {
  const body = z.object({ code: z.literal("SUP") }).safeParse(await response.clone().json());
  if (!body.success) return response;
  const { code, message, detail, hint } = error;
  return Response.json(
    { code, details: detail ?? null, hint: hint ?? null, message },
    { status: postgrestStatus(code) },
  );
}

function quietConsole(): void {
  if (isConsoleQuiet) return;
  isConsoleQuiet = true;
  const print = console.error;
  console.error = (...values: unknown[]) => {
    if (!answering.getStore()) print(...values);
  };
}

const exact: Record<string, number> = {
  PGRST202: 404,
  "21000": 400,
  "22023": 400,
  "23503": 409,
  "23505": 409,
  "25006": 405,
  "42501": 403,
  "42883": 404,
  "42P01": 404,
  "42P17": 500,
  P0001: 400,
};

const classes: Record<string, number> = {
  "08": 503,
  "09": 500,
  "0L": 403,
  "0P": 403,
  "25": 500,
  "28": 403,
  "2D": 500,
  "38": 500,
  "39": 500,
  "3B": 500,
  "40": 500,
  "53": 503,
  "54": 500,
  "55": 500,
  "57": 500,
  "58": 500,
  F0: 500,
  HV: 500,
  P0: 500,
  XX: 500,
};

/** Returns PostgREST's HTTP status for a SQLSTATE, according to its documentation. */
function postgrestStatus(code: string): number {
  const own = /^PT(\d{3})$/.exec(code);
  if (own) return Number(own[1]);
  return exact[code] ?? classes[code.slice(0, 2)] ?? 400;
}
