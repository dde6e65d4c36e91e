import type { Env } from "~/env.server";

/** Headers of every JSON answer and stream under /api and /mcp. */
export function apiHeaders(env: Env): Readonly<Record<string, string>> {
  return {
    ...commonHeaders(env),
    "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
    "referrer-policy": "no-referrer",
  };
}

/** Headers of every page, redirect and file. */
export function pageHeaders(env: Env, nonce: string, pathname: string): Record<string, string> {
  return {
    ...commonHeaders(env),
    "content-security-policy": pagePolicy(env, nonce, pathname),
    "referrer-policy":
      referrerPolicies[pathname.replace(/^\/join\/.*/, "/join/")] ??
      "strict-origin-when-cross-origin",
  };
}

/** Where the address itself says what nobody else is to know. */
const referrerPolicies: Readonly<Record<string, string>> = {
  "/m/pair": "no-referrer",
  // Not none at all: the browser would then name no origin with the form either.
  "/authorize": "same-origin",
  "/join/": "same-origin",
};

function commonHeaders(env: Env): Record<string, string> {
  const headers: Record<string, string> = {
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "x-dns-prefetch-control": "off",
    "x-permitted-cross-domain-policies": "none",
    "origin-agent-cluster": "?1",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
  };
  if (env.secureCookies) headers["strict-transport-security"] = "max-age=31536000";
  return headers;
}

function pagePolicy(env: Env, nonce: string, pathname: string): string {
  // Vite's development client adds style elements and a socket of its own.
  const styles = env.isProduction ? `'self' 'nonce-${nonce}'` : "'self' 'unsafe-inline'";
  const connections = env.isProduction ? "'self'" : "'self' ws:";
  return [
    "default-src 'self'",
    `script-src 'nonce-${nonce}' 'strict-dynamic'`,
    `style-src ${styles}`,
    "img-src 'self' data:",
    `connect-src ${connections}`,
    "worker-src 'self'",
    "object-src 'none'",
    "base-uri 'none'",
    // The answer to the form of consent leads back to the program, which may be anywhere; browsers hold that against the form.
    ...(pathname === "/authorize" ? [] : ["form-action 'self'"]),
    "frame-ancestors 'none'",
  ].join("; ");
}
