import { redirect } from "@remix-run/node";
import type { Env } from "~/env.server";
import type { Principal } from "~/nouns/accounts/contract";
import { ownCookie, readCookie } from "./session.server";
import { isCanonicalUuid } from "./uuid";

/**
 * Cookie with the product that was active on this browser's last visit. The database clears the active product when it
 * is archived or the user loses access, so only this cookie can tell a lost product from one that was never chosen.
 */
const maxAge = 30 * 24 * 60 * 60;

type CookieEnv = Pick<Env, "secureCookies" | "appOrigin">;
const nameIn = (env: CookieEnv) => ownCookie("active_product", env);

type Viewer = Pick<Principal, "user_id" | "active_product_id">;

/** Returns the product this account last had active in this browser. Ignores a cookie left by another account. */
export function rememberedProduct(
  cookieHeader: string | null,
  userId: string,
  env: CookieEnv,
): string | undefined {
  const [user, product] = readCookie(cookieHeader, nameIn(env))?.split(".") ?? [];
  return user === userId && isCanonicalUuid(product ?? "") ? product : undefined;
}

/** `Set-Cookie` value that stores the current active product. */
export function rememberProduct(viewer: Viewer, env: CookieEnv): string {
  if (viewer.active_product_id === null) return forgetProduct(env);
  const value = `${viewer.user_id}.${viewer.active_product_id}`;
  const secure = env.secureCookies ? "; Secure" : "";
  return `${nameIn(env)}=${value}; Max-Age=${maxAge}; Path=/; HttpOnly; SameSite=Lax${secure}`;
}

export function forgetProduct(env: CookieEnv): string {
  return `${nameIn(env)}=; Max-Age=0; Path=/; HttpOnly; SameSite=Lax`;
}

/** Redirects to the dashboard, which explains that the product is gone (specification: Authentication 8). */
export function leaveLostProduct(env: CookieEnv): Response {
  const headers = { "set-cookie": forgetProduct(env) };
  return redirect("/dashboard?notice=product-gone", { headers });
}
