import { describe, expect, it } from "vitest";
import { setMemberRole } from "~/domain/products/operations.server";
import { createSavedView } from "~/domain/saved-views/operations.server";
import { startSprintRun } from "~/domain/sprint-runs/operations.server";
import { claim } from "../db/agents/sprint-world";
import { bearer, createToken, signIn, startTestApp } from "../setup/app";
import { addMember, seedBacklog } from "../setup/backlog";
import { createTestDatabase } from "../setup/database";
import { routesFromSources } from "../setup/route-build";
import { createUser } from "../setup/users";

/**
 * Every page, read and stream of the table of routes, asked for by each role: owner, member, viewer, demo account, stranger. New
 * routes are covered as soon as they exist. What writes is in `db/policies/role-operations`.
 */

const t = await createTestDatabase({ realtime: true });
const app = await startTestApp(t, { pages: true });
const roles = ["owner", "member", "viewer", "demo", "stranger"] as const;
type Role = (typeof roles)[number];
const people = {
  owner: await createUser(t),
  member: await createUser(t),
  viewer: await createUser(t),
  demo: await createUser(t, { demo: true }),
  stranger: await createUser(t),
};
const backlog = await seedBacklog(t, people.owner);
const actor = t.actorOf(people.owner);
const product_id = backlog.product.id;
for (const role of ["member", "viewer", "demo"] as const) {
  await addMember(t, product_id, people[role]);
}
await setMemberRole(actor, { product_id, user_id: people.viewer.id, role: "VIEWER" });
await t.sql.query("update public.tasks set implementation_plan = 'Plan'");
const run = await startSprintRun(actor, { sprint_id: backlog.sprint.id });
const job = await claim(actor);
const view = await createSavedView(actor, {
  product_id,
  page: "board",
  name: "View",
  look: {},
  shared: true,
});

const cookies = new Map<Role, string>();
const tokens = new Map<Role, string>();
for (const role of roles) {
  cookies.set(role, await signIn(t, app, people[role]));
  tokens.set(role, await createToken(t, people[role]));
}

const own: Record<string, string> = {
  ":productId": product_id,
  ":sprintId": backlog.sprint.id,
  ":storyId": backlog.story.id,
  ":taskId": backlog.task.id,
  ":jobId": job.id,
  ":runId": run.id,
};
/** What `:id` means below each of these. */
const things: Record<string, string> = {
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

function pathOf(route: Route | undefined): string {
  if (!route) return "";
  const parts = (route.path ?? "").split("/").filter((part) => part !== "");
  const named = parts.map((part, index) => {
    if (part === ":id") return things[parts[index - 1] ?? ""] ?? anyId;
    return own[part] ?? part.replace(/^:.*/, anyId);
  });
  return pathOf(routes[route.parentId ?? ""]) + named.map((part) => `/${part}`).join("");
}

const isApi = (name: string) => /^(api|mcp|openapi)\b/.test(name);
const isStream = (name: string) => name.startsWith("api.realtime.");

function reads({ module }: Route): boolean {
  const { loader } = module;
  if (!loader) return false;
  const methods: unknown = "methods" in loader ? loader.methods : ["GET"];
  return Array.isArray(methods) && methods.includes("GET");
}

const asked = Object.values(routes)
  .filter((route) => reads(route) && route.id !== "root")
  .map((route) => ({ route, name: route.id.replace(/^routes\/|\/route$/g, "") }))
  .filter(({ name }) => name !== "$" && name !== "api.$" && name !== "logout");

async function statusFor(role: Role, { route, name }: (typeof asked)[number]): Promise<number> {
  const query = new URLSearchParams();
  if (isStream(name)) {
    query.set("product_id", product_id);
    query.set("job_id", job.id);
  }
  if (!isApi(name)) query.set("_data", route.id);
  const headers = isApi(name)
    ? bearer(tokens.get(role) ?? "")
    : { cookie: cookies.get(role) ?? "" };
  const end = new AbortController();
  const answer = await app.request(`${pathOf(route) || "/"}?${query}`, {
    headers,
    signal: end.signal,
  });
  end.abort();
  return answer.status;
}

/** Whether the address names something of the product. */
function isOfProduct({ route, name }: (typeof asked)[number]): boolean {
  const path = pathOf(route);
  return (
    isStream(name) ||
    [...Object.values(own), ...Object.values(things)].some((id) => path.includes(id))
  );
}

/** What only the owner reads. */
const ownersOnly: readonly string[] = [];

describe("each route, as each role", () => {
  it.each(asked)("$name", async (each) => {
    const statuses: Record<string, number> = {};
    for (const role of roles) statuses[role] = await statusFor(role, each);
    const { owner, member, viewer, demo, stranger } = statuses;
    expect(viewer, "a viewer reads what a member reads").toBe(member);
    expect(demo, "a demo account reads what a member reads").toBe(member);
    if (!ownersOnly.includes(each.name)) expect(member).toBe(owner);
    if (isOfProduct(each) && owner === 200) expect([403, 404]).toContain(stranger);
  });
});
