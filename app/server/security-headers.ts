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
    "referrer-policy": referrerPolicies[pathname.replace(/^\/join\/.*/, "/join/")] ?? "strict-origin-when-cross-origin",
  };
}

/** Stricter policies for pages whose address contains a secret. */
const referrerPolicies: Readonly<Record<string, string>> = {
  "/m/pair": "no-referrer",
  // Not `no-referrer`: the browser would then send no origin with the form either.
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
  // Vite's development client adds style elements and opens its own WebSocket.
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
    // The consent form redirects back to the program at any origin, which browsers check against `form-action`.
    ...(pathname === "/authorize" ? [] : ["form-action 'self'"]),
    "frame-ancestors 'none'",
  ].join("; ");
}
