import {
  type ActionFunctionArgs,
  type AppLoadContext,
  json,
  type LoaderFunctionArgs,
  redirect,
  type TypedResponse,
} from "@remix-run/node";
import type { Principal } from "~/contract/account";
import { ContractError, demoRefusal, type ErrorBody } from "~/contract/errors";
import type { Actor } from "~/db/rpc.server";
import { authenticate } from "~/domain/accounts/authenticate.server";
import { leaveLostProduct, rememberedProduct } from "./active-product.server";
import { clearSessionCookie, readSessionCookie } from "./session.server";
import { isCanonicalUuid } from "./uuid";

export interface SignedIn {
  actor: Actor;
  principal: Principal;
}

/** The only page for somebody who has to choose a new password first. */
const passwordPage = "/password";

/** Loaders of one request run side by side; they share one question to the database. */
const known = new WeakMap<AppLoadContext, Promise<SignedIn | null>>();

/** Who is signed in, or null. */
export function findActor(request: Request, context: AppLoadContext): Promise<SignedIn | null> {
  const earlier = known.get(context);
  if (earlier) return earlier;
  const found = resolveActor(request, context);
  known.set(context, found);
  return found;
}

/**
 * Who is signed in; everybody else goes to the login page. A session that no longer holds (revoked,
 * expired, a paired one past its eight hours) loses its cookie on the way.
 */
export async function requireActor(request: Request, context: AppLoadContext): Promise<SignedIn> {
  const found = await findActor(request, context);
  const { pathname, search } = new URL(request.url);
  if (found && mustChangePassword(found.principal) && pathname !== passwordPage)
    throw redirect(passwordPage);
  if (found) return found;
  const isPage = request.method === "GET" && pathname !== "/";
  const query = isPage ? `?${new URLSearchParams({ redirectTo: `${pathname}${search}` })}` : "";
  const headers: HeadersInit = request.headers.has("cookie")
    ? { "set-cookie": clearSessionCookie(context.services.env) }
    : {};
  throw redirect(`/login${query}`, { headers });
}

/** A demo account's password belongs to everybody who was given it, so that it is never asked to change it. */
export function mustChangePassword(principal: Principal): boolean {
  return principal.must_reset_password && !principal.is_demo;
}

/** The same for a page of one product. Whether the user may see it is decided by the operation. */
export async function requireProduct(
  request: Request,
  context: AppLoadContext,
  params: { productId?: string | undefined },
): Promise<SignedIn & { productId: string }> {
  const signedIn = await requireActor(request, context);
  const productId = params.productId ?? "";
  if (!isCanonicalUuid(productId)) throw new ContractError(404, "No such product.");
  return { ...signedIn, productId };
}

/** The same for actions: demo accounts read and never write. */
export async function requireWriter(request: Request, context: AppLoadContext): Promise<SignedIn> {
  const signedIn = await requireActor(request, context);
  if (!signedIn.principal.is_demo)
    return { ...signedIn, actor: { ...signedIn.actor, once: context.once } };
  throw new ContractError(403, demoRefusal);
}

/**
 * A page loader in which a refusal becomes the error page with the refusal's status and sentence; the page of a product
 * that was active until now leads to the dashboard instead.
 */
export function pageLoader<T>(
  load: (args: LoaderFunctionArgs) => Promise<T>,
): (args: LoaderFunctionArgs) => Promise<T> {
  return async (args) => {
    try {
      return await load(args);
    } catch (error) {
      if (!(error instanceof ContractError)) throw error;
      throw (await isLostProduct(error, args)) ? leaveLostProduct() : refusalOf(error);
    }
  };
}

/** A page action in which a refusal is an answer, `{ error, code, issues? }`, for the form to show. */
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

async function isLostProduct(
  { status }: ContractError,
  { request, context, params }: LoaderFunctionArgs,
): Promise<boolean> {
  if ((status !== 403 && status !== 404) || params.productId === undefined) return false;
  const cookies = request.headers.get("cookie");
  const session = await readSessionCookie(cookies, context.services.env.sessionSecrets);
  return session !== null && rememberedProduct(cookies, session.user_id) === params.productId;
}

function refusalOf(error: ContractError): TypedResponse<ErrorBody> {
  const headers: HeadersInit =
    error.retryAfter === undefined ? {} : { "retry-after": String(error.retryAfter) };
  return json({ ...error.detail, ...error.toBody() }, { status: error.status, headers });
}

async function resolveActor(request: Request, context: AppLoadContext): Promise<SignedIn | null> {
  const { env, database } = context.services;
  const session = await readSessionCookie(request.headers.get("cookie"), env.sessionSecrets);
  if (!session) return null;
  const actor: Actor = { database, credential: { session_id: session.session_id } };
  try {
    return { actor, principal: await authenticate(actor) };
  } catch (error) {
    if (error instanceof ContractError && error.status === 401) return null;
    throw error;
  }
}
