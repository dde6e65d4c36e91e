import type { AppLoadContext } from "@remix-run/node";
import type { z } from "zod";
import { idempotencyKeySchema } from "~/contract/concurrency";
import { ContractError, demoRefusal } from "~/contract/errors";
import { type Actor, Once } from "~/db/rpc.server";
import { authenticate, type LimitedAction, takeLimit } from "~/nouns/accounts/operations.server";
import type { Audience } from "~/nouns/oauth/contract";
import { bodyLimit } from "~/server/read-body";
import type { Documentation, Endpoint, RouteArgs } from "./api-route.server";
import { requireCredential, requireCronSecret } from "./credential.server";
import { fieldsOf, parseJsonBody, parseMultipart, readOpenBody } from "./request-body.server";
import { canonicalId } from "./uuid";
import { queryOf, validate } from "./validation.server";

/** Bodies longer than this (in bytes) are read only after the caller is authenticated. */
const unaskedBodyBytes = 8_192;

export interface InputDescription<Query, Body> extends Documentation {
  query?: z.ZodObject & z.ZodType<Query>;
  body?: z.ZodType<Body>;
  /** Text fields of a multipart body, instead of a JSON body. The handler reads the files. */
  form?: z.ZodType<Body>;
  /** Maximum body size in bytes, if not the default. */
  bodyLimit?: number;
  /** What a request counts as before its body is read: for its user, or for its address where no one signs in. */
  limit?: LimitedAction;
}

export interface UserDescription<Query, Body> extends InputDescription<Query, Body> {
  /** A token, a session, or by default either. */
  auth?: "bearer" | "cookie" | "either";
  /** Also accepts OAuth grant tokens issued for this audience. */
  audience?: Audience;
  handle(call: UserCall<Query, Body>): Promise<Response>;
}

interface OpenDescription<Query, Body> extends InputDescription<Query, Body> {
  auth: "none" | "cron";
  handle(call: OpenCall<Query, Body>): Promise<Response>;
}

/** What a handler gets after all checks before the operation have passed. */
export interface OpenCall<Query, Body> {
  /** The id from the path, always a canonical UUID. No row has it if the path has none. */
  id: string;
  /** All path parameters. */
  params: RouteArgs["params"];
  query: Query;
  body: Body;
  /** The whole multipart body, or empty if the endpoint takes none. */
  form: FormData;
  request: Request;
  context: AppLoadContext;
}

export interface UserCall<Query, Body> extends OpenCall<Query, Body> {
  actor: Actor;
}

/**
 * An endpoint for users. Checks run in this order: credential (401), size (413), demo write (403),
 * malformed JSON (400), validation (422), then the operation with its own 401,
 * 403, 404, 429. A valid request costs one database round trip. Invalid requests and long bodies authenticate
 * first, so strangers learn nothing but 401 and their long bodies are never read.
 */
export function endpoint<Query = undefined, Body = undefined>(
  given: UserDescription<Query, Body>,
): Endpoint {
  const description = { auth: "either" as const, ...given };
  return Object.assign((args: RouteArgs) => callForUser(description, args), { description });
}

/** An endpoint without a user: open to everyone, or only to the scheduler. */
export function openEndpoint<Query = undefined, Body = undefined>(
  description: OpenDescription<Query, Body>,
): Endpoint {
  return Object.assign((args: RouteArgs) => callOpen(description, args), { description });
}

async function callForUser(
  description: UserDescription<unknown, unknown> & { auth: "bearer" | "cookie" | "either" },
  args: RouteArgs,
): Promise<Response> {
  const { request, context } = args;
  const credential = await requireCredential(description.auth, request, context);
  const { audience } = description;
  const actor = {
    database: context.services.database,
    credential: audience ? { ...credential, audience } : credential,
  };
  const answer = () => answerUser(description, args, actor);
  if (!description.form) return answer();
  const { user_id } = await authenticate(actor);
  return context.services.uploads.inPlace(user_id, context.closeSignal, answer);
}

async function answerUser(
  description: UserDescription<unknown, unknown>,
  args: RouteArgs,
  actor: Actor,
): Promise<Response> {
  const { request } = args;
  const [input, once] = await readInput(description, args, actor)
    .then((read) => [read, onceOf(request)] as const)
    .catch((error: unknown) => refuseInput(error, actor, isWrite(request.method)));
  return markReplayed(await description.handle({ ...input, actor: { ...actor, once } }), once);
}

async function callOpen(
  description: OpenDescription<unknown, unknown>,
  args: RouteArgs,
): Promise<Response> {
  if (description.auth === "cron") {
    requireCronSecret(args.request, args.context.services.env.cronSecret);
  }
  return description.handle(await readInput(description, args));
}

async function readInput(
  description: InputDescription<unknown, unknown>,
  { request, params, context }: RouteArgs,
  actor?: Actor,
): Promise<OpenCall<unknown, unknown>> {
  const { form: formSchema, body: bodySchema = formSchema, query: querySchema } = description;
  const bytes = bodySchema && (await readBodyOf(description, request, context, actor));
  const form = formSchema && bytes ? await parseMultipart(bytes, request.headers) : new FormData();
  const raw =
    bytes && (formSchema ? fieldsOf(form) : parseJsonBody(bytes, request.headers, !actor));
  const body = bodySchema && validate(bodySchema, raw, "body");
  const query = querySchema && validate(querySchema, queryOf(request), "query");
  return { id: canonicalId(params.id), params, query, body, form, request, context };
}

/** Reads the body once it is known who sends it: of strangers, only what is short. */
async function readBodyOf(
  description: InputDescription<unknown, unknown>,
  { headers, method }: Request,
  context: AppLoadContext,
  actor: Actor | undefined,
): Promise<Uint8Array<ArrayBuffer>> {
  if (!actor) return readOpenBody(context, description);
  const { bodyLimit: most = bodyLimit, limit } = description;
  // Undefined for a body in chunks, whose length shows only at its end.
  const length = headers.get("content-length") ?? undefined;
  const isTooLong = Number(length ?? 0) > most;
  if (limit || length === undefined || Number(length) > unaskedBodyBytes) {
    const { user_id, is_demo } = await authenticate(actor);
    if (is_demo && isWrite(method) && !isTooLong) throw new ContractError(403, demoRefusal);
    if (limit && !isTooLong) await takeLimit(context.services.database, limit, user_id);
  }
  return context.readBody(most);
}

/** Refuses invalid input, after the checks that precede it: authentication (401) and demo writes (403). */
async function refuseInput(error: unknown, actor: Actor, changes: boolean): Promise<never> {
  if (!(error instanceof ContractError) || error.status === 401) throw error;
  const { is_demo: isDemo } = await authenticate(actor);
  if (changes && isDemo && error.status !== 413) {
    throw new ContractError(403, demoRefusal);
  }
  throw error;
}

/** Whether the method changes something. Demo accounts get 403 for it before the body is validated. */
function isWrite(method: string): boolean {
  return method !== "GET" && method !== "HEAD";
}

/** Returns the `Idempotency-Key` of a POST, with which a client can safely resend a request whose answer was lost. */
function onceOf({ method, headers }: Request): Once | undefined {
  const key = method === "POST" ? headers.get("idempotency-key") : null;
  if (key === null) return undefined;
  return new Once(validate(idempotencyKeySchema, key, "header Idempotency-Key"));
}

/** Adds `Idempotency-Replayed` if the answer is that of an earlier request with the same key. */
function markReplayed(answer: Response, once: Once | undefined): Response {
  if (once?.wasReplayed) answer.headers.set("idempotency-replayed", "true");
  return answer;
}
