import type { ActionFunctionArgs, AppLoadContext, LoaderFunctionArgs } from "@remix-run/node";
import { z } from "zod";
import { bodyLimit } from "~/context/read-body";
import { type Actor, Once } from "~/db/rpc.server";
import { authenticate, type LimitedAction, takeLimit } from "~/nouns/accounts/operations.server";
import type { PassingOperation } from "~/nouns/operation.server";
import { canonicalId } from "~/wire/canonical-id";
import { idempotencyKeySchema } from "~/wire/concurrency";
import { ContractError, demoRefusal, type ErrorStatus } from "~/wire/errors";
import type { Audience } from "~/wire/oauth/contract";
import { requireCredential, requireCronSecret } from "./credential.server";
import { fieldsOf, parseJsonBody, parseMultipart, readOpenBody, unpackBody } from "./request-body.server";
import { json, jsonText, methodNotAllowed, noContent, problem } from "./responses.server";
import { queryOf, validate } from "./validation.server";

/** What GET /api/openapi.json says about an endpoint, besides what follows from its checks. */
export interface Documentation {
  /** Unique operation name in the document. */
  name: string;
  summary: string;
  answer: z.ZodType | "stream" | "file" | "nothing";
  /** Success status, if not 200. */
  status?: 201 | 202 | 204;
  /** Refusals of the operation itself, besides those of the checks before it. */
  refusals?: readonly ErrorStatus[];
  /** Who may call, if it differs from the checks: `person` refuses tokens, `pairing` accepts the pairing cookie. */
  caller?: "person" | "pairing";
  /** What to send, if the operation validates it instead of the endpoint. */
  takes?: { query?: z.ZodObject; body?: z.ZodType };
}

export interface DocumentedEndpoint extends Documentation {
  auth: "bearer" | "cookie" | "either" | "none" | "cron";
  query?: z.ZodObject;
  body?: z.ZodType;
  /** Fields of a multipart body, besides its `file`. */
  form?: z.ZodType;
}

export type RouteArgs = LoaderFunctionArgs | ActionFunctionArgs;

type Answer = (args: RouteArgs) => Promise<Response>;

/** An endpoint ready to be called. Its input types are checked where it is declared. */
export type Endpoint = Answer & { description: DocumentedEndpoint };

type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
type Endpoints = Partial<Record<Method, Endpoint>>;

/** Handles every method of an address. `methods` is the value of `Allow`. */
export type RouteHandler = Answer & { methods: readonly string[]; endpoints: Endpoints };

/** One route under /api, in JSON: unknown methods get 405 with `Allow`, OPTIONS 204; HEAD is GET without a body. */
export function apiRoute(endpoints: Endpoints, { head = true }: { head?: boolean } = {}): RouteHandler {
  const methods = allowedMethods(Object.keys(endpoints), head);
  const table = new Map(Object.entries(endpoints));

  const answer = async (args: RouteArgs): Promise<Response> => {
    const { method } = args.request;
    if (method === "OPTIONS") return noContent({ allow: methods.join(", ") });
    const endpoint = table.get(method === "HEAD" ? "GET" : method);
    if (!endpoint || !methods.includes(method)) return methodNotAllowed(methods);
    try {
      return await endpoint(args);
    } catch (error) {
      return refusal(error, args);
    }
  };
  return Object.assign(answer, { methods, endpoints });
}

function allowedMethods(given: readonly string[], head: boolean): readonly string[] {
  const withHead = given.flatMap((method) => (method === "GET" && head ? ["GET", "HEAD"] : method));
  return [...withHead, "OPTIONS"];
}

function refusal(error: unknown, { request, context }: RouteArgs): Response {
  if (error instanceof ContractError) return problem(error);
  return unexpected(error, request, context);
}

/** Logs the error under the request id. The caller gets only that id. */
function unexpected(error: unknown, request: Request, context: AppLoadContext): Response {
  context.log.error({ err: error, method: request.method }, "a request failed");
  const text = `Something went wrong here. Try again; request id: ${context.requestId}`;
  return problem(new ContractError(500, text));
}

/** Bodies longer than this (in bytes) are read only after the caller is authenticated. */
const unaskedBodyBytes = 8_192;

export interface InputDescription<Query, Body> extends Documentation {
  query?: z.ZodObject & z.ZodType<Query>;
  body?: z.ZodType<Body>;
  /** Text fields of a multipart body, instead of a JSON body. The handler reads the files. */
  form?: z.ZodType<Body>;
  /** Maximum body size in bytes, if not the default. */
  bodyLimit?: number;
  /** Also accepts `Content-Encoding: gzip`, up to so many bytes unpacked, and as many values as fit in them. */
  unpackedLimit?: number;
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
 * Checks, in this order: credential (401), size (413), demo write (403), malformed JSON (400), validation (422), then
 * the operation's own. A valid request costs one database round trip. Invalid requests and long bodies authenticate
 * first, so strangers learn nothing but 401 and their long bodies are never read.
 */
export function endpoint<Query = undefined, Body = undefined>(given: UserDescription<Query, Body>): Endpoint {
  const description = { auth: "either" as const, ...given };
  return Object.assign((args: RouteArgs) => callForUser(description, args), { description });
}

/** An endpoint without a user: open to everyone, or only to the scheduler. */
export function openEndpoint<Query = undefined, Body = undefined>(description: OpenDescription<Query, Body>): Endpoint {
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

async function callOpen(description: OpenDescription<unknown, unknown>, args: RouteArgs): Promise<Response> {
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
  const raw = bytes && (formSchema ? fieldsOf(form) : await readJson(bytes, request.headers, description, !actor));
  const body = bodySchema && validate(bodySchema, raw, "body");
  const query = querySchema && validate(querySchema, queryOf(request, querySchema), "query");
  return { id: canonicalId(params.id), params, query, body, form, request, context };
}

/** The body as JSON, unpacked first where the endpoint takes it packed. */
async function readJson(
  bytes: Uint8Array<ArrayBuffer>,
  headers: Headers,
  { unpackedLimit }: InputDescription<unknown, unknown>,
  isOpen: boolean,
): Promise<unknown> {
  if (unpackedLimit === undefined) return parseJsonBody(bytes, headers, isOpen);
  return parseJsonBody(await unpackBody(bytes, headers, unpackedLimit), headers, isOpen, true);
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
const isWrite = (method: string): boolean => method !== "GET" && method !== "HEAD";

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

interface OperationDescription<Input, Query, Body>
  extends Omit<UserDescription<Query, Body>, "answer" | "handle" | "name"> {
  /** Default: the operation's own. */
  name?: string;
  /** Sends the row's version as ETag. With `if-asked`, the body has the version only if `If-Match` was sent. */
  versioned?: "always" | "if-asked";
  /** Sends only the fields of the answer schema, where the SQL function returns more for other callers. */
  onlyNamed?: true;
  input(call: UserCall<Query, Body>): Input;
}

/** An endpoint that runs one operation. Sends the database's JSON unparsed, or no body for status 204. */
export function operationEndpoint<Input, Query = undefined, Body = undefined>(
  operation: PassingOperation<Input>,
  description: OperationDescription<Input, Query, Body>,
): Endpoint {
  const { status, onlyNamed, versioned } = description;
  return endpoint<Query, Body>({
    name: operation.sql.replace(/_./g, (start) => start.charAt(1).toUpperCase()),
    ...description,
    answer: status === 204 ? "nothing" : operation.answer,
    handle: async (call) => {
      const input = description.input(call);
      if (onlyNamed) return json(await operation(call.actor, input), { status });
      const text = await operation.json(call.actor, input);
      if (versioned) return tagged(text, versioned === "always" || isConditional(call.request));
      return status === 204 ? noContent({ "cache-control": "no-store" }) : jsonText(text, { status });
    },
  });
}

const answerSchema = z.looseObject({ version: z.int() });

const isConditional = ({ headers }: Request): boolean => headers.has("if-match");

/** Undefined without a condition or for `*`. Compressing proxies weaken or mark our tag; foreign tags match none. */
export function expectedVersions({ headers }: Request): number[] | undefined {
  const header = headers.get("if-match")?.trim();
  if (header === undefined || header === "*") return undefined;
  return [...header.matchAll(/"(\d{1,9})(?:-\w{1,10})?"/g)].map(([, version]) => Number(version));
}

/** JSON response about a row, with its version as ETag. */
function tagged(text: string, isVersionShown: boolean): Response {
  const { version, ...others } = answerSchema.parse(JSON.parse(text));
  return jsonText(isVersionShown ? text : JSON.stringify(others), { headers: { etag: `"${version}"` } });
}
