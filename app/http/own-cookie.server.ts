import type { Env } from "~/env.server";

/**
 * Name of a cookie that no other program on this host sets. Browsers ignore ports: a second service on another port
 * shares all cookies, and many programs call theirs `session`.
 */
export function ownCookie(name: string, { appOrigin }: Pick<Env, "appOrigin">): string {
  const { port, protocol } = new URL(appOrigin);
  return `backloom_${name}_${port || (protocol === "https:" ? 443 : 80)}`;
}

/** Adds `Set-Cookie` values to a response. */
export function withCookies(response: Response, cookies: readonly string[]): Response {
  for (const cookie of cookies) response.headers.append("set-cookie", cookie);
  return response;
}
