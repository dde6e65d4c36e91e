import type { AppLoadContext } from "@remix-run/node";
import type { z } from "zod";
import { ContractError, demoRefusal } from "~/contract/errors";
import type { Audience } from "~/contract/oauth";
import type { Actor } from "~/db/rpc.server";
import { authenticate } from "~/domain/accounts/authenticate.server";
import { bodyLimit } from "~/server/read-body";
import type { Endpoint, RouteArgs } from "./api-route.server";
import { requireCredential, requireCronSecret } from "./credential.server";
import type { Documentation } from "./documentation.server";
import { markReplayed, onceOf } from "./idempotency.server";
import { parseJsonBody } from "./json-body.server";
import { fieldsOf, parseMultipart } from "./uploads.server";
import { isCanonicalUuid } from "./uuid";
import { queryOf, validate } from "./validation.server";

/** A body beyond these bytes is worth a question who sends it, before anything looks at it. */
const unaskedBodyBytes = 8_192;

export interface InputDescription<Query, Body> extends Documentation {
  /** What the id in the path names, for the sentence of the 404. */
  id?: string;
  query?: z.ZodObject & z.ZodType<Query>;
  body?: z.ZodType<Body>;
  /** The text fields of a multipart body, in place of one in JSON; the files are its handler's to read. */
  form?: z.ZodType<Body>;
  /** The longest body in bytes, where it is not that of all other requests. */
  bodyLimit?: number;
}

export interface UserDescription<Query, Body> extends InputDescription<Query, Body> {
  auth: "bearer" | "cookie" | "either";
  /** Tokens of grants are good here, those for this audience. */
  audience?: Audience;
  handle(call: UserCall<Query, Body>): Promise<Response>;
}

interface OpenDescription<Query, Body> extends InputDescription<Query, Body> {
  auth: "none" | "cron";
  handle(call: OpenCall<Query, Body>): Promise<Response>;
}

/** What an endpoint works with once every check before the operation is passed. */
export interface OpenCall<Query, Body> {
  /** The id from the path, a canonical UUID; empty when the endpoint has none. */
  id: string;
  /** Further parts of the path. */
  params: RouteArgs["params"];
  query: Query;
  body: Body;
  /** The whole multipart body, where that is what the endpoint takes; empty elsewhere. */
  form: FormData;
  request: Request;
  context: AppLoadContext;
}

export interface UserCall<Query, Body> extends OpenCall<Query, Body> {
  actor: Actor;
}

/**
 * An endpoint for users. The order of checks: credential (401), size (413), demo write (403),
 * malformed JSON (400), validation (422), unknown id (404), then the operation with its own 401,
 * 403, 404, 429. A good request costs one round trip; only a bad one, or one with a long body, asks who the
 * caller is first, so that strangers learn nothing but 401 and nothing long of theirs is parsed.
 */
export function endpoint<Query = undefined, Body = undefined>(
  description: UserDescription<Query, Body>,
): Endpoint {
  return Object.assign((args: RouteArgs) => callForUser(description, args), { description });
}

/** An endpoint without a user: open to everybody, or to the schedule alone. */
export function openEndpoint<Query = undefined, Body = undefined>(
  description: OpenDescription<Query, Body>,
): Endpoint {
  return Object.assign((args: RouteArgs) => callOpen(description, args), { description });
}

async function callForUser(
  description: UserDescription<unknown, unknown>,
  args: RouteArgs,
): Promise<Response> {
  const { request, context } = args;
  const credential = await requireCredential(description.auth, request, context);
  const { audience } = description;
  const actor = {
    database: context.services.database,
    credential: audience ? { ...credential, audience } : credential,
  };
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
  const bytes = bodySchema && (await context.readBody(description.bodyLimit ?? bodyLimit));
  if (actor && bytes && bytes.length > unaskedBodyBytes) await authenticate(actor);
  const form = formSchema && bytes ? await parseMultipart(bytes, request.headers) : new FormData();
  const raw = bytes && (formSchema ? fieldsOf(form) : parseJsonBody(bytes, request.headers));
  const body = bodySchema && validate(bodySchema, raw, "body");
  const query = querySchema && validate(querySchema, queryOf(request), "query");
  return { id: idOf(description, params), params, query, body, form, request, context };
}

/** Ids that are no canonical UUID name nothing, and never reach the database. */
function idOf(
  { id: noun }: InputDescription<unknown, unknown>,
  params: RouteArgs["params"],
): string {
  if (noun === undefined) return "";
  const id = params.id ?? "";
  if (isCanonicalUuid(id)) return id;
  throw new ContractError(404, `No such ${noun}.`);
}

/** Refuses a bad input, after the checks that come before it in the order. */
async function refuseInput(error: unknown, actor: Actor, changes: boolean): Promise<never> {
  if (!(error instanceof ContractError) || error.status === 401) throw error;
  const { is_demo: isDemo } = await authenticate(actor);
  if (changes && isDemo && error.status !== 413) {
    throw new ContractError(403, demoRefusal);
  }
  throw error;
}

/** Demo accounts are refused what changes something before the body is judged. */
function isWrite(method: string): boolean {
  return method !== "GET" && method !== "HEAD";
}
