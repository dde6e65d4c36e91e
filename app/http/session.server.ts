import { createHash } from "node:crypto";
import { parseCookieHeader } from "@supabase/ssr";
import { CompactEncrypt, compactDecrypt } from "jose";
import { z } from "zod";
import type { Env } from "~/env.server";

/**
 * The sealed cookie `session` only names a row: validity and rights are read on every request (specification:
 * Authentication 2). Its twin under our own name is read first: another program on this host may set `session`.
 */
const sessionCookieSchema = z.object({
  session_id: z.uuid(),
  user_id: z.uuid(),
  is_demo: z.boolean(),
  paired: z.literal(true).optional(),
  pairedExpiresAt: z.string().optional(),
});
export type SessionCookie = z.infer<typeof sessionCookieSchema>;
const sealedSchema = sessionCookieSchema.extend({ sealed_at: z.number().default(0) });
export type OpenedCookie = z.infer<typeof sealedSchema>;

const sessionCookieName = "session";
const sessionMaxAge = 30 * 24 * 60 * 60;
/** Normal sessions slide: the cookie is sealed again once it is older than this. */
const renewAfterMs = 24 * 60 * 60 * 1000;
/** Longer than any cookie we seal. Longer ones are ignored without decrypting. */
const longestCookie = 4096;

type CookieEnv = Pick<Env, "sessionSecrets" | "secureCookies" | "appOrigin">;

/** Opens the cookie with any of the secrets. Returns null if it is missing, damaged or sealed with another key. */
export function readSessionCookie(cookieHeader: string | null, env: CookieEnv): Promise<OpenedCookie | null> {
  return openFirst(cookieHeader, namesOf(env).reverse(), env.sessionSecrets);
}

/** `Set-Cookie` values that extend a normal session, at most once a day; none if nothing is due. */
export async function renewSessionCookies(opened: OpenedCookie, env: CookieEnv): Promise<string[]> {
  return opened.paired || Date.now() - opened.sealed_at < renewAfterMs ? [] : sealSessionCookies(opened, env);
}

/** `Set-Cookie` values of a session, sealed with the first secret. */
export async function sealSessionCookies(value: SessionCookie, env: CookieEnv): Promise<string[]> {
  const [secret] = env.sessionSecrets;
  if (secret === undefined) throw new Error("No SESSION_SECRET to seal the session cookie with");
  const plaintext = new TextEncoder().encode(JSON.stringify({ ...value, sealed_at: Date.now() }));
  const sealed = await new CompactEncrypt(plaintext)
    .setProtectedHeader({ alg: "dir", enc: "A256GCM" })
    .encrypt(keyOf(secret));
  return namesOf(env).map((name) => `${name}=${sealed}; Max-Age=${maxAgeOf(value)}; ${attributes(env)}`);
}

/** `Set-Cookie` values that remove the session cookies, but not a `session` that another program set. */
export async function clearSessionCookies(cookieHeader: string | null, env: CookieEnv): Promise<string[]> {
  const isOurs = await openFirst(cookieHeader, [sessionCookieName], env.sessionSecrets);
  return namesOf(env)
    .filter((name) => isOurs || name !== sessionCookieName)
    .map((name) => `${name}=; Max-Age=0; ${attributes(env)}`);
}

/** Returns one cookie of a `Cookie` header. With duplicates the first wins: browsers send the closest path first. */
export function readCookie(cookieHeader: string | null, name: string): string | undefined {
  return parseCookieHeader(cookieHeader ?? "").find((cookie) => cookie.name === name)?.value || undefined;
}

/** The first cookies of a name: another program may have set one for another path or domain. */
function sealedIn(cookieHeader: string | null, name: string): string[] {
  const ours = (cookieHeader ?? "").split(/; */).filter((pair) => pair.startsWith(`${name}=`));
  return ours.slice(0, 5).map((pair) => pair.slice(name.length + 1));
}

/** Over https no other name of our domain can set the twin, such as one of a preview. */
const namesOf = (env: CookieEnv) => [
  sessionCookieName,
  `${env.secureCookies ? "__Host-" : ""}${ownCookie("session", env)}`,
];

/** The first cookie of these names that opens with a secret. */
async function openFirst(cookieHeader: string | null, names: string[], secrets: readonly string[]) {
  for (const sealed of names.flatMap((name) => sealedIn(cookieHeader, name))) {
    if (sealed.length > longestCookie) continue;
    for (const secret of secrets) {
      const value = await open(sealed, secret);
      if (value) return value;
    }
  }
  return null;
}

async function open(sealed: string, secret: string) {
  try {
    const { plaintext } = await compactDecrypt(sealed, keyOf(secret), {
      keyManagementAlgorithms: ["dir"],
      contentEncryptionAlgorithms: ["A256GCM"],
    });
    const value = sealedSchema.safeParse(JSON.parse(new TextDecoder().decode(plaintext)));
    return value.success ? value.data : null;
  } catch {
    // Truncated, tampered with, or sealed with another key: treat the person as signed out.
    return null;
  }
}

/** Derives the 256-bit key that A256GCM needs from a secret of any length. */
const keyOf = (secret: string): Uint8Array => createHash("sha256").update(secret).digest();

function attributes(env: CookieEnv): string {
  return `Path=/; HttpOnly; SameSite=Lax${env.secureCookies ? "; Secure" : ""}`;
}

function maxAgeOf(value: SessionCookie): number {
  if (value.pairedExpiresAt === undefined) return sessionMaxAge;
  return Math.max(0, Math.ceil((Date.parse(value.pairedExpiresAt) - Date.now()) / 1000));
}

/** Browsers ignore ports: a second service on this host shares all cookies, and many programs call theirs `session`. */
export function ownCookie(name: string, { appOrigin }: Pick<Env, "appOrigin">): string {
  const { port, protocol } = new URL(appOrigin);
  return `backloom_${name}_${port || (protocol === "https:" ? 443 : 80)}`;
}

/** Adds `Set-Cookie` values to a response. */
export function withCookies(response: Response, cookies: readonly string[]): Response {
  for (const cookie of cookies) response.headers.append("set-cookie", cookie);
  return response;
}
