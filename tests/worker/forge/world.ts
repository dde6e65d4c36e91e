import { createHash } from "node:crypto";
import { mkdirSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { join } from "node:path";
import type { ForgeKind } from "../../../worker/base/forge-kinds";
import { gitIn, listen } from "../fixture";
import { forgejoApi } from "./fake-forgejo";
import { gitHubApi } from "./fake-github";
import { gitLabApi } from "./fake-gitlab";
import { answerGit } from "./git-server";

export interface FakePull {
  number: number;
  branch: string;
  base: string;
  title: string;
  body: string;
  isDraft: boolean;
  state: "open" | "closed" | "merged";
  labels: string[];
  reviewers: string[];
  mergeable: boolean;
  /** CI of the commit that it was said of; a push begins with none. */
  ci: { sha: string; state: "pending" | "passed" | "failed"; log: string } | null;
  comments: FakeComment[];
  /** A stranger's, from a branch of the same name in their own repository. */
  isOfFork?: boolean;
}

export interface FakeIssue {
  number: number;
  title: string;
  body: string;
  label: string;
  isClosed?: boolean;
  comments?: string[];
}

/** A comment on a line, or with a verdict the words of a review. */
export interface FakeComment {
  id: number;
  author: "grace" | "stranger";
  body: string;
  isEdited?: boolean;
  isVerdict?: boolean;
  /** A review that its author has begun and not submitted. */
  isPending?: boolean;
}

export const begun = "2026-11-23T08:00:00Z";
export const edited = "2026-11-23T09:00:00Z";

export type ForgeRequest = { method: string; path: string; query: URLSearchParams; body: Record<string, unknown> };

export type Answered = { status: number; body: unknown };

/** What happens to the next request that matches, instead of or after what was asked. */
export interface Fault {
  method: string;
  path: RegExp;
  status?: number;
  headers?: Record<string, string>;
  message?: string;
  /** The deed is done, and the answer never arrives. */
  isLost?: boolean;
  /** No answer comes: anyone who asked is ended where it stands, before the deed or after it. */
  held?: { when: "before" | "after"; reached: () => void };
}

export function tokenOf(kind: ForgeKind): string {
  return `secret-of-${kind}-0123456789`;
}

const apis = { github: gitHubApi, gitlab: gitLabApi, forgejo: forgejoApi };

/** A Git host on this machine: real git over HTTP next to the API of its kind, one repository in it. */
export async function openForgeWorld(kind: ForgeKind, home: string) {
  const token = tokenOf(kind);
  const root = join(home, `forge-${kind}`);
  const bare = join(root, "acme", "shop.git");
  mkdirSync(bare, { recursive: true });
  gitIn(bare)("init", "--quiet", "--bare", "--initial-branch=main");
  const pulls: FakePull[] = [];
  const issues: FakeIssue[] = [];
  const requests: { method: string; path: string; status: number }[] = [];
  const faults: Fault[] = [];
  const world = {
    kind,
    token,
    root,
    bare,
    pulls,
    issues,
    requests,
    faults,
    origin: "",
    remote: "",
    headOf: (branch: string) => gitIn(bare)("rev-parse", `refs/heads/${branch}`),
    urlOf: (number: number) => `${world.origin}/acme/shop/pulls/${number}`,
    /**
     * A clone of a person who is signed in: git knows the login. It is made past the server, which answers in this process and
     * so not while this process waits for git.
     */
    clone(folder: string) {
      gitIn(home)("clone", "--quiet", bare, folder);
      const git = gitIn(folder);
      git("remote", "set-url", "origin", world.remote);
      git("config", "credential.helper", `!printf 'username=ada\\npassword=${token}\\n' #`);
      return git;
    },
    push: (git: ReturnType<typeof gitIn>) => git("push", "--quiet", bare, "main"),
  };
  const server = createServer((request, response) => void answer(world, request, response));
  world.origin = await listen(server);
  world.remote = `${world.origin}/acme/shop.git`;
  const seed = join(home, `seed-${kind}`);
  const git = world.clone(seed);
  git("checkout", "--quiet", "-B", "main");
  git("commit", "--quiet", "--allow-empty", "-m", "Begin");
  world.push(git);
  return world;
}
export type ForgeWorld = Awaited<ReturnType<typeof openForgeWorld>>;

export const openForgeWorlds = async (home: string) => ({
  github: await openForgeWorld("github", home),
  gitlab: await openForgeWorld("gitlab", home),
  forgejo: await openForgeWorld("forgejo", home),
});

async function answer(world: ForgeWorld, request: IncomingMessage, response: ServerResponse) {
  const url = new URL(request.url ?? "/", world.origin);
  if (!isSignedIn(world, request.headers.authorization)) {
    response.writeHead(401, { "www-authenticate": 'Basic realm="forge"' }).end();
    return;
  }
  if (url.pathname.startsWith("/acme/shop.git/")) return answerGit(world.root, request, response);
  const { method = "GET" } = request;
  const send = (status: number, body: unknown, headers: Record<string, string> = {}) => {
    world.requests.push({ method, path: url.pathname, status });
    const text = typeof body === "string" ? body : body === null ? "" : JSON.stringify(body);
    response.writeHead(status, { "content-type": "application/json", ...headers }).end(text);
  };
  const text = await readAll(request);
  if (!request.headers["user-agent"]) return send(403, { message: "Say who you are" });
  const fault = takeFault(world, method, url.pathname);
  if (fault?.status !== undefined) {
    return send(fault.status, { message: fault.message ?? "Not now" }, fault.headers);
  }
  if (fault?.held?.when === "before") return fault.held.reached();
  const received = { method, path: url.pathname, query: url.searchParams, body: text === "" ? {} : JSON.parse(text) };
  const answered = apis[world.kind](world, received);
  if (fault?.held) return fault.held.reached();
  if (fault?.isLost) return response.destroy();
  const etag = `"${createHash("sha256").update(JSON.stringify(answered.body)).digest("hex")}"`;
  if (method === "GET" && request.headers["if-none-match"] === etag) return send(304, null, { etag });
  send(answered.status, answered.body, method === "GET" ? { etag } : {});
}

function isSignedIn({ token }: ForgeWorld, authorization = ""): boolean {
  const basic = Buffer.from(`ada:${token}`).toString("base64");
  return [`Bearer ${token}`, `token ${token}`, `Basic ${basic}`].includes(authorization);
}

function takeFault({ faults }: ForgeWorld, method: string, path: string): Fault | undefined {
  const index = faults.findIndex((fault) => fault.method === method && fault.path.test(path));
  return index < 0 ? undefined : faults.splice(index, 1)[0];
}

async function readAll(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString("utf8");
}

/** Texts of what was sent; what is not there is an empty one. */
export function textIn(body: Record<string, unknown>, name: string): string {
  const value = body[name];
  return typeof value === "string" ? value : "";
}

export function listIn(body: Record<string, unknown>, name: string): unknown[] {
  const value = body[name];
  return Array.isArray(value) ? value : [];
}

/** Merges a pull request as a Git host does, where its head is the commit that was named; answers whether it did. */
export function mergePull(world: ForgeWorld, pull: FakePull, sha: unknown): boolean {
  const git = gitIn(world.bare);
  const head = world.headOf(pull.branch);
  if (sha !== head || pull.state !== "open") return false;
  const main = world.headOf(pull.base);
  const tree = git("merge-tree", "--write-tree", main, head);
  const args = ["commit-tree", tree, "-p", main, "-p", head, "-m", `Merge ${pull.branch}`];
  git("update-ref", `refs/heads/${pull.base}`, git(...args), main);
  pull.state = "merged";
  return true;
}

/** What a host tells of an issue, with the names of all three. */
function shownIssue({ kind, origin }: ForgeWorld, { number, title, body, isClosed = false }: FakeIssue) {
  const url = `${origin}/acme/shop/issues/${number}`;
  const state = isClosed ? "closed" : kind === "gitlab" ? "opened" : "open";
  const who = { user: { login: "stranger" }, author: { username: "stranger" } };
  const names = { number, iid: number, title, body, description: body, html_url: url, web_url: url };
  return { ...names, ...who, state, updated_at: isClosed ? edited : begun };
}

/** The issues with a label as the host lists them, the one that changed last first. */
export function listIssues(world: ForgeWorld, query: URLSearchParams) {
  const [page, size] = [Number(query.get("page") ?? 1), Number(query.get("per_page") ?? query.get("limit"))];
  return world.issues
    .filter(({ label }) => label === query.get("labels"))
    .reverse()
    .slice((page - 1) * size, page * size)
    .map((issue) => shownIssue(world, issue));
}

/** What is said about one issue, and what is done with it; null when the address is another one. */
export function answerIssue(world: ForgeWorld, { method, path, body }: ForgeRequest): Answered | null {
  const [, id, more] = /\/issues\/(\d+)(?:\/(comments|notes))?$/.exec(path) ?? [];
  const issue = world.issues.find(({ number }) => number === Number(id));
  if (issue === undefined) return null;
  issue.comments ??= [];
  if (more !== undefined) {
    if (method === "POST") issue.comments.push(textIn(body, "body"));
    return { status: 200, body: issue.comments.map((text) => ({ body: text })) };
  }
  if (body.state === "closed" || body.state_event === "close") issue.isClosed = true;
  return { status: 200, body: shownIssue(world, issue) };
}

/** CI of a pull request as it is at its head. */
export function ciOf(world: ForgeWorld, pull: FakePull) {
  return pull.ci?.sha === world.headOf(pull.branch) ? pull.ci : null;
}

/** Number of the run of CI at the commit that it was said of: a host counts on with each run. */
export function runOf({ number, ci }: FakePull): number {
  return number * 2 ** 32 + Number.parseInt(ci?.sha.slice(0, 8) ?? "0", 16);
}

/** Its log, at the number that the host gave it. */
export function logOf({ pulls }: ForgeWorld, run: number): string {
  return pulls.find((pull) => runOf(pull) === run)?.ci?.log ?? "";
}

export function openPull(
  world: ForgeWorld,
  opened: Pick<FakePull, "branch" | "base" | "title" | "body" | "isDraft">,
): FakePull | null {
  const isThere = ({ branch, state, isOfFork }: FakePull) => branch === opened.branch && state === "open" && !isOfFork;
  if (world.pulls.some(isThere)) return null;
  world.headOf(opened.branch);
  const empty = { labels: [], reviewers: [], mergeable: true, ci: null, comments: [] };
  const pull: FakePull = { ...opened, ...empty, number: world.pulls.length + 1, state: "open" };
  world.pulls.push(pull);
  return pull;
}

/** Changes with what was written and decided, as the time of the last change does at the host. */
export function version(comments: readonly FakeComment[], state: string): string {
  return `${state}-${comments.length}`;
}
