import { existsSync, readdirSync } from "node:fs";
import type { IncomingMessage } from "node:http";
import { join } from "node:path";
import type { ServerBuild } from "@remix-run/node";
import compression from "compression";
import express, { type ErrorRequestHandler, type Express, type RequestHandler } from "express";
import { bodyLimit } from "~/context/read-body";
import { Once } from "~/db/rpc.server";
import type { Env } from "~/env.server";
import { requireMonitoring } from "~/http/monitoring.server";
import { findActor } from "~/http/page-guards.server";
import { movedTo } from "~/http/redirects.server";
import { readOpenBody, refuseBadForm } from "~/http/request-body.server";
import { takeLimit } from "~/nouns/accounts/operations.server";
import { idempotencyKeySchema } from "~/wire/concurrency";
import { ContractError } from "~/wire/errors";
import { fileBodyLimit } from "~/wire/files/contract";
import { idempotencyField } from "~/wire/idempotency-field";
import { importLimits } from "~/wire/transfers/contract";
import type { ApiRequest } from "./answer-api";
import { sendResponse, webHeaders } from "./node-adapter";
import { howProgramsSignIn, sendJsonProblem, sendPlainProblem } from "./problems";
import type { NodeRequestContext } from "./request-context";
import { type RouteMatch, routesOf } from "./route-table";

/** Source of the Remix build: a file in production, Vite in development. */
export interface BuildSource {
  load(): Promise<ServerBuild>;
  /** Vite's middleware, or undefined in production, where the built files are served. */
  developmentFiles: RequestHandler | undefined;
}

/** Carries what the front knows about a request to the handlers behind Express. */
const requests = new WeakMap<IncomingMessage, ApiRequest>();

/** The Express app behind the front's checks: built files, compression and Remix pages. */
export function createPageApp(env: Env, source: BuildSource, projectFolder: string) {
  const app = express();
  app.disable("x-powered-by");
  app.disable("etag");
  app.set("query parser", "simple");
  app.use(compression({ filter: mayCompress }));
  app.get("/worker.mjs", sendWorkerFile);
  app.get("/metrics", sendMetrics);
  serveFiles(app, source, projectFolder);
  app.use(answerPage(env, source));
  app.use(answerFailure);
  return (page: ApiRequest): void => {
    requests.set(page.request, page);
    app(page.request, page.response);
  };
}

function mayCompress(request: express.Request, response: express.Response): boolean {
  const type = String(response.getHeader("content-type") ?? "");
  return !type.startsWith("text/event-stream") && compression.filter(request, response);
}

/** Public, as the sources are: the file holds no secret, and people fetch it with curl without a token. */
const sendWorkerFile: RequestHandler = (request, response) => {
  const file = requests.get(request)?.context.services.workerFile;
  if (!file) throw new ContractError(404, "The worker is not built here: run npm run build.");
  response.setHeader("cache-control", "no-cache");
  response.setHeader("content-type", "text/javascript; charset=utf-8");
  response.setHeader("etag", `"${file.sha256}"`);
  if (request.headers["if-none-match"] === `"${file.sha256}"`) response.status(304).end();
  else response.end(file.bytes);
};

/** Metrics as plain text for monitoring systems. */
const sendMetrics: RequestHandler = async (request, response, next) => {
  try {
    const page = requests.get(request);
    if (!page) throw new Error("A request for metrics came without its context");
    const { services } = page.context;
    requireMonitoring(request, services.env);
    page.context.route = "/metrics";
    const text = await services.metrics.text(services);
    response.setHeader("cache-control", "no-store");
    response.setHeader("content-type", "text/plain; version=0.0.4; charset=utf-8");
    response.end(text);
  } catch (error) {
    next(error);
  }
};

function serveFiles(app: Express, source: BuildSource, projectFolder: string): void {
  if (source.developmentFiles) {
    app.use(source.developmentFiles);
    return;
  }
  const client = join(projectFolder, "build", "pages", "client");
  const options = { index: false, redirect: false, dotfiles: "ignore" };
  app.use("/assets", express.static(join(client, "assets"), { ...options, immutable: true, maxAge: "1y" }));
  // Service worker and manifest have fixed names, so browsers revalidate them on each load.
  const named = express.static(client, options);
  // List the files once, so that page requests cost no disk access. Tests without pages run without a build.
  const files = existsSync(client) ? readdirSync(client) : [];
  const names = new Set(files.map((name) => `/${name}`));
  app.use((request, response, next) => (names.has(request.path) ? named(request, response, next) : next()));
}

function answerPage(env: Env, source: BuildSource): RequestHandler {
  const mode = env.isProduction ? "production" : "development";
  return async (request, response, next) => {
    try {
      const page = requests.get(request);
      if (!page) throw new Error("A page request came without its context");
      const { target, context } = page;
      const routes = routesOf(await source.load());
      const match = target.isBroken ? undefined : routes.match(target.pathname);
      const allowed = methodsOf(match, target.search);
      if (request.method === "OPTIONS") {
        response.writeHead(204, { allow: allowed.join(", ") }).end();
        return;
      }
      if (!allowed.includes(request.method)) {
        response.setHeader("allow", allowed.join(", "));
        throw new ContractError(405, `This page answers ${allowed.join(", ")} only.`);
      }
      // Paths without a route get the "unknown address" page, rendered by Remix.
      const isKnown = match && match.route.segments.at(-1) !== "*";
      if (isKnown) context.route = match.route.pattern;
      const isNamed = isKnown || (match && movedTo(target));
      const pathname = isNamed ? target.pathname : "/unknown-address";
      const address = isNamed ? `${pathname}${target.search}` : pathname;
      const route = isKnown ? match.route : routes.match(pathname)?.route;
      if (!route) throw new ContractError(404, "Nothing is at this address.");
      const handle = routes.page(route, mode);
      const answer = await inUploadSlot(env, address, request, context, async () =>
        handle(await toWebRequest(env, address, request, context), context),
      );
      if (!answer.headers.has("cache-control")) answer.headers.set("cache-control", "no-store");
      await sendResponse(answer, response);
    } catch (error) {
      next(error);
    }
  };
}

/** Uploads by a page's form take turns with those of the API. */
async function inUploadSlot(
  env: Env,
  address: string,
  request: express.Request,
  context: NodeRequestContext,
  work: () => Promise<Response>,
): Promise<Response> {
  if (request.method !== "POST" || !isUpload(request)) return work();
  const headers = webHeaders(request);
  const signedIn = await findActor(new Request(`${env.appOrigin}${address}`, { headers }), context);
  if (!signedIn) return work();
  return context.services.uploads.inPlace(signedIn.principal.user_id, context.closeSignal, work);
}

/** Replaces Express's error page, which would show the stack outside production. */
const answerFailure: ErrorRequestHandler = (error, request, response, _next) => {
  const { context, target } = requests.get(request) ?? {};
  const isOfForm = request.method === "POST" && new URLSearchParams(target?.search).has("_data");
  // Without this header the page takes it for the page of some proxy, and says that the service broke.
  if (isOfForm && !response.headersSent) response.setHeader("x-remix-response", "yes");
  const send = isOfForm || isFromProgram(request) ? sendJsonProblem : sendPlainProblem;
  if (error instanceof ContractError) return send(response, error);
  context?.log.error({ err: error }, "a page request failed");
  const text = `Something went wrong here. Try again; request id: ${context?.requestId ?? "unknown"}`;
  return send(response, new ContractError(500, text));
};

/** Whether a program sent the request. Pages send forms; programs send JSON, such as an MCP client that registers. */
function isFromProgram(request: express.Request): boolean {
  return /^application\/json\b/i.test(request.headers["content-type"] ?? "");
}

function methodsOf(match: RouteMatch | undefined, search: string): string[] {
  if (!match) return ["GET", "HEAD", "OPTIONS"];
  const { module } = match.route;
  const isRead = module.default !== undefined || module.loader !== undefined;
  const takesForms = formTargetOf(match, search)?.module.action !== undefined;
  return [...(isRead ? ["GET", "HEAD"] : []), ...(takesForms ? ["POST"] : []), "OPTIONS"];
}

/** Returns the route whose action Remix would run: an index route only with `?index`, otherwise the last with a path. */
function formTargetOf({ route }: RouteMatch, search: string) {
  const query = new URLSearchParams(search);
  const wanted = query.get("_data");
  if (wanted !== null) return route.branch.find(({ id }) => id === wanted);
  const last = route.branch.at(-1);
  if (last?.index && query.getAll("index").includes("")) return last;
  return route.branch.findLast(({ path }) => path !== undefined && path !== "");
}

/** The largest upload a page takes from signed-in people. The preview of an import posts its file back packed and as text. */
function uploadLimitOf(pathname: string): number | null {
  if (pathname === "/import") return Math.ceil(importLimits.bytes * 1.5);
  return /^\/(stories|tasks)\/[^/]+$/.test(pathname) ? fileBodyLimit : null;
}

function isUpload(request: express.Request): boolean {
  return /^multipart\/form-data\b/i.test(request.headers["content-type"] ?? "");
}

async function toWebRequest(
  env: Env,
  address: string,
  request: express.Request,
  context: NodeRequestContext,
): Promise<Request> {
  const headers = webHeaders(request);
  headers.set("host", ownHost(env, request.headers.origin));
  headers.delete("x-forwarded-host");

  const url = `${env.appOrigin}${address}`;
  const init: RequestInit = { method: request.method, headers, signal: context.closeSignal };
  if (request.method !== "POST") return new Request(url, init);
  if (isFromProgram(request)) throw howProgramsSignIn(400);
  const body = await readPageBody(request, new Request(url, init), context);
  context.once = onceOfForm(await refuseBadForm(body, headers));
  return new Request(url, { ...init, body });
}

/** Reads the body once it is known who sends it: anyone who has not signed in counts first, and sends little. */
async function readPageBody(
  request: express.Request,
  { url, headers }: Request,
  context: NodeRequestContext,
): Promise<Uint8Array<ArrayBuffer>> {
  const signedIn = await findActor(new Request(url, { headers }), context);
  if (!signedIn) return readOpenBody(context, { isPage: true });
  const { pathname } = new URL(url);
  const { user_id, is_demo } = signedIn.principal;
  if (is_demo) return context.readBody(bodyLimit);
  const uploadLimit = isUpload(request) ? uploadLimitOf(pathname) : null;
  const counted = pathname === "/import" ? "import" : uploadLimit && "file";
  if (counted) await takeLimit(context.services.database, counted, user_id);
  return context.readBody(uploadLimit ?? bodyLimit);
}

/** Remix compares Host with Origin and answers 500 on a mismatch; the front has checked both where it matters. */
function ownHost(env: Env, origin: string | undefined): string {
  const isOwn = origin !== undefined && env.origins.includes(origin);
  return new URL(isOwn ? origin : env.appOrigin).host;
}

/** Returns the idempotency key the page put into a form. An invalid key counts as none. */
function onceOfForm(form: FormData): Once | undefined {
  const key = idempotencyKeySchema.safeParse(form.get(idempotencyField));
  return key.success ? new Once(key.data) : undefined;
}
