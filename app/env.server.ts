import { resolve } from "node:path";
import { z } from "zod";
import { type ChatSettings, chatVariables, missingForChats, toChats } from "./env-chats.server";
import { type FileLimits, limitVariables, type StreamLimits } from "./env-limits.server";
import { missingForOidc, type OidcSettings, oidcVariables, toOidc } from "./env-oidc.server";
import { readSecretFiles } from "./env-secrets.server";
import * as value from "./env-values.server";
import { bracketed, localOrigins, loopbackNames, printableHost, withLoopbackNames } from "./own-origins.server";
import { previewHostsOf } from "./preview-hosts.server";
import type { ChatServiceName } from "./wire/chats/contract";

/** Read and checked once at start. This is the only reader of `process.env`; everything else receives values. */

/** Who may create an account: everyone, invited people, or administrators only. */
const registrations = ["open", "invite", "closed"] as const;

const variables = z.object({
  NODE_ENV: z.string().optional(),
  PORT: value.port.default(3000),
  HOST: z.string().min(1).default("127.0.0.1"),
  APP_ORIGIN: value.origin.optional(),
  PREVIEW_ORIGIN: value.previewOrigin.optional(),
  DATA_DIR: z.string().min(1).default(".data"),
  SESSION_SECRET: value.list.pipe(z.array(value.secret).min(1, "must not be empty")).optional(),
  CRON_SECRET: value.bearerSecret.optional(),
  METRICS_TOKEN: value.bearerSecret.optional(),
  TRUST_PROXY: value.list.pipe(z.array(value.proxy)).default([]),
  BACKUP_SCHEDULE: value.cronPattern.optional(),
  BACKUP_KEEP: value.count(1).default(7),
  SUPABASE_URL: value.webAddress.optional(),
  SUPABASE_PUBLISHABLE_KEY: z.string().min(1).optional(),
  SUPABASE_SECRET_KEY: z.string().min(1).optional(),
  SUPABASE_DB_URL: value.postgresAddress.optional(),
  SUPABASE_DB_CONNECTIONS: value.count(1, 100).default(4),
  VAPID_PUBLIC_KEY: value.vapidKey(87).optional(),
  VAPID_PRIVATE_KEY: value.vapidKey(43).optional(),
  VAPID_SUBJECT: z
    .string()
    .regex(/^(mailto:|https:\/\/)/, "must be a mailto: or https:// address")
    .optional(),
  ALLOW_PRIVATE_DESTINATIONS: z
    .enum(["true", "false"], "must be true or false: whether notices may go to private addresses")
    .default("false"),
  REGISTRATION: z.enum(registrations, `must be one of ${registrations.join(", ")}`).optional(),
  ...oidcVariables,
  ...chatVariables,
  LOG_LEVEL: z.enum(value.logLevels, `must be one of ${value.logLevels.join(", ")}`).default("info"),
  ...limitVariables,
});
/** Every variable that the service reads; docs/configuration.md has them all. */
export const variableNames = Object.keys(variables.shape);
export const variableDefaults: Record<string, unknown> = variables.parse({});

type Variables = z.infer<typeof variables>;

/** How to reach a hosted or self-hosted Supabase project. */
export interface SupabaseSettings {
  url: string;
  publishableKey: string;
  secretKey: string;
  dbUrl: string | undefined;
  dbConnections: number;
}

export type VapidSettings = { publicKey: string; privateKey: string; subject: string };

export interface Env {
  /** True unless NODE_ENV explicitly asks for development, so that sources are never served by accident. */
  isProduction: boolean;
  port: number;
  host: string;
  /** The address people open, without a trailing slash. The only source for links, QR codes and cookie security. */
  appOrigin: string;
  /** Our `Origin` values: APP_ORIGIN if set (under all loopback names if it is one), otherwise all local names. */
  origins: readonly string[];
  /** Origins of previews, with `*` for the id of each; null where there can be none. */
  previewOrigin: string | null;
  /** True exactly when the value.origin is https (cookies are then Secure). */
  secureCookies: boolean;
  dataDir: string;
  /** Schedule (UTC) of backups of an embedded installation into `backups` of its data folder, and how many to keep. */
  backups: { schedule: string | undefined; keep: number };
  /** The first one seals, all open. Empty only in embedded mode, where the data folder has one. */
  sessionSecrets: readonly string[];
  cronSecret: string | undefined;
  /** Bearer token of monitoring. Without it, only this machine may read `/metrics`. */
  metricsToken: string | undefined;
  trustProxy: readonly string[];
  /** If undefined, this process starts the embedded stack. */
  supabase: SupabaseSettings | undefined;
  vapid: VapidSettings | undefined;
  /** Whether webhooks and push messages may be sent to private networks. */
  allowPrivateDestinations: boolean;
  /** Who may create an account. Default: `open` if only this machine can reach the service, otherwise `invite`. */
  registration: (typeof registrations)[number];
  /** The identity provider. If undefined, people sign in with a password only. */
  oidc: OidcSettings | undefined;
  /** The chat services that have a bot; the others are not connected to. */
  chats: Partial<Record<ChatServiceName, ChatSettings>>;
  logLevel: Variables["LOG_LEVEL"];
  streamLimits: StreamLimits;
  fileLimits: FileLimits;
}

/** Lists missing or invalid variables, one line each. Printed as it is. */
export class EnvironmentError extends Error {
  constructor(readonly problems: readonly string[]) {
    super(`The environment is not complete:\n${problems.map((line) => `  ${line}`).join("\n")}`);
    this.name = "EnvironmentError";
  }
}

export function readEnv(source: Record<string, string | undefined>): Env {
  // Empty variables value.count as unset, because `NAME=` in a .env file produces them.
  const given = Object.fromEntries(Object.entries(source).filter(([, value]) => value !== ""));
  const { values, problems: unread } = readSecretFiles(given, Object.keys(variables.shape));
  const parsed = variables.safeParse(values);
  if (!parsed.success || unread.length > 0) {
    const issues = parsed.error?.issues ?? [];
    const wrong = issues.map(({ path, message }) => `${String(path[0])} ${message}`.replace(" :", ":"));
    throw new EnvironmentError([...unread, ...wrong]);
  }
  const problems = [missingForSupabase, missingForPush, missingForOidc, missingForChats, wrongForPreviews].flatMap(
    (find) => find(parsed.data),
  );
  if (problems.length > 0) throw new EnvironmentError(problems);
  return toEnv(parsed.data);
}

function missingForSupabase(values: Variables): string[] {
  if (values.SUPABASE_URL === undefined) {
    return values.SUPABASE_SECRET_KEY === undefined && values.SUPABASE_DB_URL === undefined
      ? []
      : ["SUPABASE_URL is missing: the other SUPABASE_ variables belong to a project"];
  }
  const problems: string[] = [];
  if (!values.SUPABASE_PUBLISHABLE_KEY) {
    problems.push("SUPABASE_PUBLISHABLE_KEY is missing: copy it from the project's API settings");
  }
  if (!values.SUPABASE_SECRET_KEY) {
    problems.push("SUPABASE_SECRET_KEY is missing: copy it from the project's API settings");
  }
  if (!values.SESSION_SECRET) {
    problems.push("SESSION_SECRET is missing: set 32 random characters (openssl rand -base64 32)");
  }
  return problems;
}

function missingForPush(values: Variables): string[] {
  const { VAPID_PUBLIC_KEY: publicKey, VAPID_PRIVATE_KEY: privateKey } = values;
  const isWhole = publicKey && privateKey ? values.VAPID_SUBJECT : !publicKey && !privateKey;
  return isWhole ? [] : ["VAPID_PUBLIC_KEY, VAPID_PRIVATE_KEY and VAPID_SUBJECT must be set together or not at all"];
}

/** Pages of previews are untrusted: encrypted but on this machine, and under no name that leads to the service. */
function wrongForPreviews({ APP_ORIGIN, PREVIEW_ORIGIN }: Variables): string[] {
  if (PREVIEW_ORIGIN === undefined) return [];
  const { isSecure, suffix } = previewHostsOf(PREVIEW_ORIGIN);
  if (!isSecure && suffix !== ".localhost") return ["PREVIEW_ORIGIN must begin with https://"];
  const holdsService = APP_ORIGIN !== undefined && `.${new URL(APP_ORIGIN).hostname}`.endsWith(suffix);
  return holdsService && suffix !== ".localhost"
    ? ["PREVIEW_ORIGIN must not lead to APP_ORIGIN: take a domain that is only for previews"]
    : [];
}

function toEnv(values: Variables): Env {
  const appOrigin = values.APP_ORIGIN ?? `http://${printableHost(values.HOST)}:${values.PORT}`;
  return {
    isProduction: values.NODE_ENV !== "development",
    port: values.PORT,
    host: values.HOST,
    appOrigin,
    origins: values.APP_ORIGIN ? withLoopbackNames(values.APP_ORIGIN) : localOrigins(values.HOST, values.PORT),
    previewOrigin: values.PREVIEW_ORIGIN ?? (isOfThisMachine(values) ? localPreviews(appOrigin) : null),
    secureCookies: appOrigin.startsWith("https:"),
    dataDir: resolve(values.DATA_DIR),
    backups: { schedule: values.BACKUP_SCHEDULE, keep: values.BACKUP_KEEP },
    sessionSecrets: values.SESSION_SECRET ?? [],
    cronSecret: values.CRON_SECRET,
    metricsToken: values.METRICS_TOKEN,
    trustProxy: values.TRUST_PROXY,
    supabase: toSupabase(values),
    vapid: toVapid(values),
    allowPrivateDestinations: values.ALLOW_PRIVATE_DESTINATIONS === "true",
    registration: values.REGISTRATION ?? (isOfThisMachine(values) ? "open" : "invite"),
    oidc: toOidc(values),
    chats: toChats(values),
    logLevel: values.LOG_LEVEL,
    streamLimits: {
      perUser: values.STREAMS_PER_USER,
      perProcess: values.STREAMS_PER_PROCESS,
      heartbeatSeconds: values.STREAM_HEARTBEAT_SECONDS,
      lifetimeSeconds: values.STREAM_LIFETIME_SECONDS,
      maxBufferedBytes: values.STREAM_MAX_BUFFERED_BYTES,
    },
    fileLimits: { freeDisk: values.FILES_FREE_DISK, total: values.FILES_TOTAL },
  };
}

/** Whether only this machine can reach the service: both HOST and APP_ORIGIN are loopback names. */
function isOfThisMachine({ HOST, APP_ORIGIN }: Variables): boolean {
  const names = [bracketed(HOST), ...(APP_ORIGIN ? [new URL(APP_ORIGIN).hostname] : [])];
  return names.every((name) => loopbackNames.includes(name) || /^127(\.\d{1,3}){3}$/.test(name));
}

/** Browsers resolve every name under localhost to this machine by themselves. */
function localPreviews(appOrigin: string): string {
  return Object.assign(new URL(appOrigin), { hostname: "preview.localhost" }).origin.replace("preview", "*");
}

function toSupabase(values: Variables): SupabaseSettings | undefined {
  const { SUPABASE_URL: url, SUPABASE_PUBLISHABLE_KEY: publishableKey } = values;
  const { SUPABASE_SECRET_KEY: secretKey } = values;
  if (!url || !publishableKey || !secretKey) return undefined;
  return {
    url,
    publishableKey,
    secretKey,
    dbUrl: values.SUPABASE_DB_URL,
    dbConnections: values.SUPABASE_DB_CONNECTIONS,
  };
}

function toVapid(values: Variables): VapidSettings | undefined {
  const { VAPID_PUBLIC_KEY: publicKey, VAPID_PRIVATE_KEY: privateKey } = values;
  const { VAPID_SUBJECT: subject } = values;
  return publicKey && privateKey && subject ? { publicKey, privateKey, subject } : undefined;
}
