import { expect, it } from "vitest";
import { addComment } from "~/nouns/comments/operations.server";
import { setMemberRole } from "~/nouns/products/operations.server";
import { createSavedView } from "~/nouns/saved-views/operations.server";
import { startSprintRun } from "~/nouns/sprint-runs/operations.server";
import { fileSchema } from "~/wire/files/contract";
import { openApp } from "../setup/app";
import { routesFromSources } from "../setup/route-build";
import { bearer, claim } from "../setup/world";

/**
 * Every page, read and stream of the table of routes, asked for by each role: owner, member, viewer, demo account, stranger. No answer
 * to the stranger has a word of what people said to each other or to an agent. New routes are covered as soon as they exist. What writes
 * is in `db/policies/role-operations`.
 */

const { t, app } = await openApp({ realtime: true, pages: true });
const roles = ["owner", "member", "viewer", "demo", "stranger"] as const;
type Role = (typeof roles)[number];
const people = {
  owner: await t.createUser(),
  member: await t.createUser(),
  viewer: await t.createUser(),
  demo: await t.createUser({ demo: true }),
  stranger: await t.createUser(),
};
const backlog = await t.seedBacklog(people.owner);
const actor = t.actorOf(people.owner);
const product_id = backlog.product.id;
for (const role of ["member", "viewer", "demo"] as const) {
  await t.addMember(product_id, people[role]);
}
await setMemberRole(actor, { product_id, user_id: people.viewer.id, role: "VIEWER" });
await t.query`update public.tasks set implementation_plan = 'Plan'`;
const run = await startSprintRun(actor, { sprint_id: backlog.sprint.id });
const job = await claim(actor);
const said = "Quetzalcoatlus";
const body = `${said} @${people.stranger.username} @${people.viewer.username}`;
for (const kind of ["pbi", "story"] as const) {
  await addComment(actor, { kind, id: backlog[kind].id, body });
}
const comment = await addComment(actor, { kind: "task", id: backlog.task.id, body, send_to_agent: true });
const view = await createSavedView(actor, { product_id, page: "board", name: "View", look: {}, shared: true });

const cookies = new Map<Role, string>();
const tokens = new Map<Role, string>();
for (const role of roles) {
  cookies.set(role, await app.signIn(people[role]));
  tokens.set(role, await t.createToken(people[role]));
}

const upload = new FormData();
upload.set("product_id", product_id);
upload.set("task_id", backlog.task.id);
upload.set("file", new File([said], "said.txt"));
const uploaded = await app.request("/api/files", {
  method: "POST",
  headers: bearer(tokens.get("owner") ?? ""),
  body: upload,
});
const file = fileSchema.parse(await uploaded.json());

const own: Record<string, string> = {
  ":productId": product_id,
  ":sprintId": backlog.sprint.id,
  ":storyId": backlog.story.id,
  ":taskId": backlog.task.id,
  ":jobId": job.id,
  ":runId": run.id,
  ":commentId": comment.id,
};
const ofTask = { kind: "task", id: backlog.task.id };
const questions: Record<string, Record<string, string>> = {
  "_app.branch": ofTask,
  "_app.candidates": ofTask,
  "_app.products.$productId.runs_.new": { item: `task:${backlog.task.id}` },
  "_app.search": { q: said.slice(0, 7) },
  "api.realtime.backlog": { product_id },
  "api.realtime.job": { job_id: job.id },
  "api.realtime.solo": { product_id },
};
/** What `:id` means below each of these. */
const things: Record<string, string> = {
  files: file.id,
  jobs: job.id,
  pbis: backlog.pbi.id,
  products: product_id,
  sprints: backlog.sprint.id,
  stories: backlog.story.id,
  tasks: backlog.task.id,
  views: view.id,
};
const anyId = "00000000-0000-4000-8000-000000000000";
const { routes } = await routesFromSources({ pages: true });
type Route = (typeof routes)[string];

function patternOf(route: Route | undefined): string[] {
  if (!route) return [];
  return [...patternOf(routes[route.parentId ?? ""]), ...(route.path ?? "").split("/")];
}

function pathOf(route: Route): string {
  // The layout of all pages has no address of its own.
  if (route.id === "routes/_app") return "/dashboard";
  const parts = patternOf(route).filter((part) => part !== "");
  const named = parts.map((part, index) => {
    if (part === ":id") return things[parts[index - 1] ?? ""] ?? anyId;
    return own[part] ?? part.replace(/^:.*/, anyId);
  });
  return `/${named.join("/")}`;
}

const isApi = (name: string) => /^(api|mcp|openapi|skills)\b/.test(name);

function reads({ module }: Route): boolean {
  const { loader } = module;
  if (!loader) return false;
  const methods: unknown = "methods" in loader ? loader.methods : ["GET"];
  return Array.isArray(methods) && methods.includes("GET");
}

const asked = Object.values(routes)
  .filter((route) => reads(route) && route.id !== "root")
  .map((route) => ({ route, name: route.id.replace(/^routes\/|\/route$/g, "") }))
  .filter(({ name }) => name !== "$" && name !== "logout");

async function answerFor(role: Role, { route, name }: (typeof asked)[number]) {
  const query = new URLSearchParams();
  for (const [key, value] of Object.entries(questions[name] ?? {})) query.set(key, value);
  if (!isApi(name)) query.set("_data", route.id);
  const end = new AbortController();
  const ask = (headers: HeadersInit) => app.request(`${pathOf(route)}?${query}`, { headers, signal: end.signal });
  const byCookie = { cookie: cookies.get(role) ?? "" };
  const first = await ask(isApi(name) ? bearer(tokens.get(role) ?? "") : byCookie);
  // Some of the API is for browsers alone.
  const answer = first.status === 401 && isApi(name) ? await ask(byCookie) : first;
  const isEndless = answer.headers.get("content-type")?.startsWith("text/event-stream");
  const text = isEndless ? "" : await answer.text();
  end.abort();
  return { status: answer.status, text };
}

const ids = [...Object.values(own), ...Object.values(things)];

function isOfProduct({ route, name }: (typeof asked)[number]): boolean {
  const address = [pathOf(route), ...Object.values(questions[name] ?? {})].join(" ");
  return ids.some((id) => address.includes(id));
}

/** What the owner of a product is not shown here, and why. Every other route shows them something. */
const notShown: Record<string, [number, string]> = {
  "[.]well-known.$": [404, "answers what is not there"],
  "_app.active-product": [204, "leads on"],
  "_app.admin": [403, "an administrator's"],
  "_app.admin._index": [403, "an administrator's"],
  "_app.admin.audit": [403, "an administrator's"],
  "_app.admin.chats": [403, "an administrator's"],
  "_app.admin.prices": [403, "an administrator's"],
  "api.chats": [403, "a person's at a browser, not a token's"],
  "_app.changes": [204, "leads on"],
  "_app.ideas_.$ideaId": [404, "no one's idea"],
  "_app.jobs_.$jobId_.changes": [204, "leads on"],
  "_app.jobs_.$jobId.file": [404, "no changes were sent"],
  "_app.stories_.$storyId.file": [404, "no changes were sent"],
  "_app.products.$productId._index": [204, "leads on"],
  "_app.products.$productId.settings_.$section": [404, "no such section"],
  "_app.settings.avatar": [404, "has none"],
  "_app.undo": [204, "leads on"],
  _index: [204, "leads on"],
  "_auth.auth.oidc._index": [204, "there is no provider"],
  "_auth.auth.oidc.callback": [404, "there is no provider"],
  "_auth.join.$code": [404, "no invitation"],
  "_auth.login": [204, "is signed in"],
  "_auth.password": [204, "needs none"],
  "_auth.register": [204, "is signed in"],
  "api.auth.pair.stream.$pairingId": [401, "a desktop's, by its own secret"],
  "api.imports.$id": [404, "no import of theirs"],
  "api.jobs.$id.diff": [404, "no changes were sent"],
  "api.jobs.$id.guide": [404, "no changes were sent"],
  "api.jobs.$id.preview": [404, "no preview was started"],
  authorize: [400, "no program asks"],
  "previews.$id": [404, "no one's preview"],
  "skills.$name.SKILL[.]md": [404, "no such skill"],
  theme: [204, "leads on"],
};

const ownersOnly: readonly string[] = [];

/** Some of the routes that show what people say, so that a stranger's silence means something. */
const placesOfComments = `_app.inbox _app.jobs_.$jobId._index _app.stories.$storyId _app.tasks.$taskId api.files.$id
  api.pbis.$id.comments api.stories.$id.comments api.tasks.$id.comments`.split(/\s+/);

const telling: string[] = [];

it.each(asked)("Each role gets $name as its rights allow", async (each) => {
  const statuses: Record<string, number> = {};
  for (const role of roles) {
    const { status, text } = await answerFor(role, each);
    statuses[role] = status;
    if (role === "stranger") expect(text).not.toContain(said);
    if (role === "viewer" && text.includes(said)) telling.push(each.name);
  }
  const { owner, member, viewer, demo, stranger } = statuses;
  expect(viewer, "a viewer reads what a member reads").toBe(member);
  expect(demo, "a demo account reads what a member reads").toBe(member);
  if (!ownersOnly.includes(each.name)) expect(member).toBe(owner);
  expect(owner, "the owner gets there, or it says why not").toBe(notShown[each.name]?.[0] ?? 200);
  if (isOfProduct(each) && owner !== 204) expect([403, 404]).toContain(stranger);
});

it("A viewer sees the comments on each route that shows them", () => {
  expect(telling).toEqual(expect.arrayContaining(placesOfComments));
});
