import {
  type ActionFunctionArgs,
  type AppLoadContext,
  json,
  type LoaderFunctionArgs,
  redirect,
  type TypedResponse,
} from "@remix-run/node";
import type { Actor } from "~/db/rpc.server";
import type { Env } from "~/env.server";
import { authenticate } from "~/nouns/accounts/operations.server";
import { getShell } from "~/nouns/pages/operations.server";
import type { Principal } from "~/wire/accounts/contract";
import { canonicalId, isCanonicalUuid } from "~/wire/canonical-id";
import { ContractError, demoRefusal, type ErrorBody } from "~/wire/errors";
import {
  clearSessionCookies,
  type OpenedCookie,
  ownCookie,
  readCookie,
  readSessionCookie,
  withCookies,
} from "./session.server";

export type SignedIn = { actor: Actor; principal: Principal; session: OpenedCookie };

/** The only page open to a user who must choose a new password first. */
const passwordPage = "/password";

/** Loaders of one request run in parallel and share one lookup of the user. */
const known = new WeakMap<AppLoadContext, Promise<SignedIn | null>>();

/** Returns the signed-in user, or null. */
export function findActor(request: Request, context: AppLoadContext): Promise<SignedIn | null> {
  const earlier = known.get(context);
  if (earlier) return earlier;
  const found = resolveActor(request, context);
  known.set(context, found);
  return found;
}

/** The signed-in user, or a redirect to sign in that clears the cookies of a session that is no longer valid. */
export async function requireActor(request: Request, context: AppLoadContext): Promise<SignedIn> {
  const found = await findActor(request, context);
  const { pathname, search } = new URL(request.url);
  if (found && mustChangePassword(found.principal) && pathname !== passwordPage) throw redirect(passwordPage);
  if (found) return found;
  const isPage = request.method === "GET" && pathname !== "/";
  const query = isPage ? `?${new URLSearchParams({ redirectTo: `${pathname}${search}` })}` : "";
  const cookies = request.headers.get("cookie");
  throw withCookies(
    redirect(`/login${query}`),
    cookies === null ? [] : await clearSessionCookies(cookies, context.services.env),
  );
}

/** Whether the user must choose a new password. Demo accounts never do, because their password is shared. */
export function mustChangePassword(principal: Principal): boolean {
  return principal.must_reset_password && !principal.is_demo;
}

/** Like `requireActor`, for actions. Refuses demo accounts, which are read-only. */
export async function requireWriter(request: Request, context: AppLoadContext): Promise<SignedIn> {
  const signedIn = await requireActor(request, context);
  if (!signedIn.principal.is_demo) return { ...signedIn, actor: { ...signedIn.actor, once: context.once } };
  throw new ContractError(403, demoRefusal);
}

/** A refusal becomes the error page; where the page's product was active and is lost, it redirects to the dashboard. */
export function pageLoader<T>(
  load: (args: LoaderFunctionArgs) => Promise<T>,
): (args: LoaderFunctionArgs) => Promise<T> {
  return async (args) => {
    try {
      return await load(args);
    } catch (error) {
      if (!(error instanceof ContractError)) throw error;
      throw (await isLostProduct(error, args)) ? leaveLostProduct(args.context.services.env) : refusalOf(error);
    }
  };
}

/** Wraps a page action. A refusal becomes the answer `{ error, code, issues? }` for the form to show. */
export function pageAction<T>(
  act: (args: ActionFunctionArgs) => Promise<T>,
): (args: ActionFunctionArgs) => Promise<T | TypedResponse<ErrorBody>> {
  return async (args) => {
    try {
      return await act(args);
    } catch (error) {
      if (error instanceof ContractError) return refusalOf(error);
      throw error;
    }
  };
}

/** A page loader for people who are signed in. */
export function personLoader<T>(
  load: (given: LoaderFunctionArgs & SignedIn) => Promise<T>,
): (args: LoaderFunctionArgs) => Promise<T> {
  return pageLoader(async (args) => load({ ...args, ...(await requireActor(args.request, args.context)) }));
}

/** The same for a page of one product. The operation decides whether the person may see it. */
export function productLoader<T>(
  load: (given: LoaderFunctionArgs & SignedIn & { productId: string }) => Promise<T>,
): (args: LoaderFunctionArgs) => Promise<T> {
  return personLoader((given) => load({ ...given, productId: canonicalId(given.params.productId) }));
}

type WriteArgs = ActionFunctionArgs & SignedIn & { form: FormData };

/** A page action for people who may change things; it gets what they sent. */
export function writeAction<T>(act: (given: WriteArgs) => Promise<T>) {
  return pageAction(async (args) => {
    const writer = await requireWriter(args.request, args.context);
    return act({ ...args, ...writer, form: await args.request.formData() });
  });
}

/** The same for a page of one product. */
export function productAction<T>(act: (given: WriteArgs & { productId: string }) => Promise<T>) {
  return writeAction((given) => act({ ...given, productId: canonicalId(given.params.productId) }));
}

async function isLostProduct(
  { status }: ContractError,
  { request, context, params }: LoaderFunctionArgs,
): Promise<boolean> {
  if ((status !== 403 && status !== 404) || params.productId === undefined) return false;
  const cookies = request.headers.get("cookie");
  const { env } = context.services;
  const session = await readSessionCookie(cookies, env);
  return session !== null && rememberedProduct(cookies, session.user_id, env) === params.productId;
}

function refusalOf(error: ContractError): TypedResponse<ErrorBody> {
  const headers: HeadersInit = error.retryAfter === undefined ? {} : { "retry-after": String(error.retryAfter) };
  return json({ ...error.detail, ...error.toBody() }, { status: error.status, headers });
}

async function resolveActor(request: Request, context: AppLoadContext): Promise<SignedIn | null> {
  const { env, database } = context.services;
  const session = await readSessionCookie(request.headers.get("cookie"), env);
  if (!session) return null;
  const actor: Actor = { database, credential: { session_id: session.session_id } };
  try {
    return { actor, principal: await authenticate(actor), session };
  } catch (error) {
    if (error instanceof ContractError && error.status === 401) return null;
    throw error;
  }
}

/** Like `requireActor`, for administrator pages. This only hides pages; the operations check the role themselves. */
export async function requireAdmin(request: Request, context: AppLoadContext): Promise<SignedIn> {
  const signedIn = await requireActor(request, context);
  if (signedIn.principal.role === "ADMIN") return signedIn;
  throw new ContractError(403, "Only administrators may see this page. Ask one of them.");
}

/** The product of a page that shows one at a time: the one in its address, otherwise the active one, otherwise any. */
export async function findAskedProduct(
  request: Request,
  { actor, principal }: Pick<SignedIn, "actor" | "principal">,
): Promise<string | null> {
  const wanted = new URL(request.url).searchParams.get("product");
  if (wanted && isCanonicalUuid(wanted)) return wanted;
  const { products } = await getShell(actor, { active_product_id: null });
  const active = products.find(({ id }) => id === principal.active_product_id);
  return (active ?? products[0])?.id ?? null;
}

/** The database forgets a lost active product: only this cookie can tell it from one that was never chosen. */
const maxAge = 30 * 24 * 60 * 60;

type CookieEnv = Pick<Env, "secureCookies" | "appOrigin">;
const nameIn = (env: CookieEnv) => ownCookie("active_product", env);

type Viewer = Pick<Principal, "user_id" | "active_product_id">;

/** Returns the product this account last had active in this browser. Ignores a cookie left by another account. */
export function rememberedProduct(cookieHeader: string | null, userId: string, env: CookieEnv): string | undefined {
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
