import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { connectClient } from "../mcp/clients";
import { openApp } from "../setup/app";
import { bearer, seedActiveSprint } from "../setup/world";

const { t, app } = await openApp({ pages: true });
const owner = await t.createUser();
const friend = await t.createUser();
const product = await t.seedProduct(owner, { p_agent_items: "triage" });
await t.addMember(product.id, friend);
const token = await t.createToken(owner);
const agent = await connectClient(app, token);
const visitor = await app.visitorOf(owner);
const page = `/products/${product.id}/triage`;
const { result: pbi } = await agent.call("create_pbi", { product_id: product.id, title: "Rows" });
const { result: otherPbi } = await agent.call("create_pbi", { product_id: product.id, title: "Columns" });

it("A story that an agent plans into a sprint says that it waits in triage instead", async () => {
  const planned = { product_id: product.id, sprint_goal: "Sort", start_date: "2026-01-01", end_date: "2026-01-14" };
  const { result: sprint } = await agent.call("create_sprint", planned);
  const fields = { pbi_id: pbi.id, title: "Planned", sprint_id: sprint.id };
  const { result: story } = await agent.call("create_story", fields);
  expect(story).toMatchObject({ status: "triage", sprint_id: null });
  expect(story.hint).toMatch(/waits in triage until a person accepts it/);
});

/** A story as an agent suggests it, with a task that has a plan. */
async function suggest(title: string, fields: Record<string, unknown> = {}) {
  const { result: story } = await agent.call("create_story", { pbi_id: pbi.id, title, ...fields });
  const { result: task } = await agent.call("create_task", {
    story_id: story.id,
    title: `Task of ${title}`,
    implementation_plan: "1. Do it",
  });
  return { story: { ...story, id: String(story.id), code: String(story.code) }, task };
}

const get = async (path: string) => (await app.request(path, { headers: bearer(token) })).json();

async function statusOf(id: string): Promise<unknown> {
  return (await get(`/api/stories/${id}`)).status;
}

it("A story in triage is in no backlog, ready list, sprint, next story, agent context or run", async () => {
  const sprint = await seedActiveSprint(t.actorOf(owner), product.id, []);
  const { story, task } = await suggest("Waits", { sprint_id: sprint.id });
  expect(story).toMatchObject({ status: "triage", sprint_id: null });

  const backlog = JSON.stringify(await get(`/api/products/${product.id}/backlog`));
  expect(JSON.parse(backlog).storiesByPbi[String(pbi.id)]).toEqual([]);
  expect(await get(`/api/pbis/${pbi.id}/stories`)).toEqual([]);
  expect(await visitor.read(`/products/${product.id}/backlog`)).not.toContain(story.code);
  const ready = await agent.call("list_ready", { product_id: product.id });
  expect(ready.result.tasks).toEqual([]);

  const joined = await agent.call("add_story_to_sprint", { sprint_id: sprint.id, story_id: story.id });
  expect(joined.result).toMatchObject({ code: 409, error: expect.stringContaining("triage") });
  const next = `/api/products/${product.id}/next-story`;
  expect((await app.request(next, { headers: bearer(token) })).status).toBe(404);
  const context = await get(`/api/products/${product.id}/agent-context`);
  expect(context.next_story).toBeNull();
  for (const wish of [{ story_id: story.id }, { task_ids: [task.id] }]) {
    const run = await agent.call("start_run", wish);
    expect(run.result).toMatchObject({ code: 409, error: expect.stringContaining("triage") });
  }
  await agent.call("update_task_status", { task_id: task.id, status: "done" });
  expect(await statusOf(story.id)).toBe("triage");
});

it("A story in triage is on its tab, and can be accepted by a plain form into another PBI", async () => {
  const { story } = await suggest("Accepted");
  const html = await visitor.read(page);
  expect(html).toContain(`Accept ${story.code}`);
  expect(html).toContain("Accepted");
  expect(html).toMatch(/Triage[\s\S]{0,400}in triage/);
  await visitor.submit(page, "accept", { story_id: story.id, pbi_id: String(otherPbi.id) });
  expect(await get(`/api/stories/${story.id}`)).toMatchObject({ status: "open", pbi_id: otherPbi.id });
  expect(await visitor.read(page)).not.toContain(`Accept ${story.code}`);
});

it("A story in triage can be merged into a story of the backlog, with its text and tasks", async () => {
  const { story: kept } = await suggest("Kept");
  await visitor.submit(page, "accept", { story_id: kept.id });
  const { story, task } = await suggest("Same again", { description: "With a reason." });
  await visitor.submit(page, "merge", { story_id: story.id, into: kept.id });
  const { description } = await get(`/api/stories/${kept.id}`);
  expect(description).toBe(`Merged from ${story.code}: Same again\n\nWith a reason.`);
  expect(await get(`/api/tasks/${task.id}`)).toMatchObject({ story_id: kept.id });
  const gone = await app.request(`/api/stories/${story.id}`, { headers: bearer(token) });
  expect(gone.status).toBe(404);
});

it("A story declined in triage is gone", async () => {
  const { story } = await suggest("Declined");
  await visitor.submit(page, "decline", { story_id: story.id });
  const gone = await app.request(`/api/stories/${story.id}`, { headers: bearer(token) });
  expect(gone.status).toBe(404);
});

it("A story in triage leaves the status of its PBI as it is", async () => {
  const { story } = await suggest("Only one");
  const rows = await t.query`select status from pbis where id = ${pbi.id}`;
  expect(rows).toEqual([{ status: "READY" }]);
  await visitor.submit(page, "decline", { story_id: story.id });
});

describe("who decides", () => {
  const decide = (credential: object, operation: string, values: object) =>
    t.database.callAs(credential as { user_id: string }, operation, { ...values });

  it("No token accepts, merges or declines a story in triage, and no person decides on it twice", async () => {
    const { story } = await suggest("Decided by people");
    const byToken = { token_hash: createHash("sha256").update(token).digest("hex") };
    const p_story_id = story.id;
    for (const [operation, values] of [
      ["accept_story", { p_story_id }],
      ["decline_story", { p_story_id }],
      ["merge_story", { p_story_id, p_into: p_story_id }],
    ] as const) {
      await expect(decide(byToken, operation, values)).rejects.toMatchObject({ status: 403 });
    }
    const byPerson = { user_id: friend.id };
    const intoItself = decide(byPerson, "merge_story", { p_story_id, p_into: p_story_id });
    await expect(intoItself).rejects.toMatchObject({ status: 422 });
    await decide(byPerson, "accept_story", { p_story_id });
    for (const operation of ["accept_story", "decline_story"])
      await expect(decide(byPerson, operation, { p_story_id })).rejects.toMatchObject({ status: 409 });
  });

  it("A person's story goes to the backlog at once, as an agent's does in a product without triage", async () => {
    await visitor.submit(`/products/${product.id}/backlog?panel=new-story&pbi=${pbi.id}`, "create-story", {
      title: "By hand",
    });
    const rows = await t.query`select status from stories where title = 'By hand'`;
    expect(rows).toEqual([{ status: "OPEN" }]);
    const { result: plain } = await agent.call("create_product", { code: "PLAIN", name: "Plain" });
    const { result: place } = await agent.call("create_pbi", { product_id: plain.id, title: "P" });
    const { result: story } = await agent.call("create_story", { pbi_id: place.id, title: "S" });
    expect(story.status).toBe("open");
    expect(await visitor.read(`/products/${plain.id}/backlog`)).not.toContain(">Triage");
  });

  it("The form for a new product has triage chosen", async () => {
    const html = await visitor.read("/products/new");
    expect(html).toMatch(/name="agent_items"[^>]*checked=""[^>]*value="triage"|value="triage"[^>]*checked=""/);
  });
});
