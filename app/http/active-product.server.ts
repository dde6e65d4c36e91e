import { redirect } from "@remix-run/node";
import type { Principal } from "~/contract/account";
import type { Env } from "~/env.server";
import { readCookie } from "./session.server";
import { isCanonicalUuid } from "./uuid";

/**
 * The product that was active when this browser was here last. The database forgets it in the moment in which it is
 * archived or its user loses it, so that only this cookie can tell a lost product from one never chosen.
 */
const cookieName = "active_product";
const maxAge = 30 * 24 * 60 * 60;

type Viewer = Pick<Principal, "user_id" | "active_product_id">;

/** The product this account had active in this browser; what another account left behind is not read. */
export function rememberedProduct(cookieHeader: string | null, userId: string): string | undefined {
  const [user, product] = readCookie(cookieHeader, cookieName)?.split(".") ?? [];
  return user === userId && isCanonicalUuid(product ?? "") ? product : undefined;
}

/** The `Set-Cookie` value that keeps the active product as it is now. */
export function rememberProduct(viewer: Viewer, env: Pick<Env, "secureCookies">): string {
  if (viewer.active_product_id === null) return forgetProduct;
  const value = `${viewer.user_id}.${viewer.active_product_id}`;
  const secure = env.secureCookies ? "; Secure" : "";
  return `${cookieName}=${value}; Max-Age=${maxAge}; Path=/; HttpOnly; SameSite=Lax${secure}`;
}

export const forgetProduct = `${cookieName}=; Max-Age=0; Path=/; HttpOnly; SameSite=Lax`;

/** To the dashboard, which says what happened (specification: Authentication 8). */
export function leaveLostProduct(): Response {
  return redirect("/dashboard?notice=product-gone", { headers: { "set-cookie": forgetProduct } });
}
