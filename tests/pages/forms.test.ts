import { expect, it } from "vitest";
import { openApp } from "../setup/app";
import { create } from "../setup/world";

const { t, app } = await openApp({ pages: true });
const owner = await t.createUser({ role: "ADMIN" });
const friend = await t.createUser();
const actor = t.actorOf(owner);
const backlog = await t.seedBacklog(owner);
const { product, pbi, story, task } = backlog;
await t.addMember(product.id, friend);
const visitor = await app.visitorOf(owner);

async function stored(table: string, column: string, id: string): Promise<unknown> {
  const { rows } = await t.sql.query(`select ${column} as value from public.${table} where id = $1`, [id]);
  return rows[0]?.value;
}

it.each([0, 6, 10, 1_000_000])("a priority of %i survives editing and its own picker", async (priority) => {
  await t.query`update public.pbis set priority = ${priority} where id = ${pbi.id}`;
  await t.query`update public.stories set priority = ${priority} where id = ${story.id}`;
  await t.query`update public.tasks set priority = ${priority} where id = ${task.id}`;
  const panel = `/products/${product.id}/backlog?panel=pbi:${pbi.id}`;
  const places = [
    [panel, "update-pbi", "Exports, mended"],
    [`/stories/${story.id}?`, "update", "Export, mended"],
    [`/tasks/${task.id}?`, "edit", "Write, mended"],
  ] as const;
  for (const [place, intent, title] of places) {
    await visitor.submit(`${place}&edit=title`, intent, { title });
    // The picker of the priority, sent as it is there.
    await visitor.submit(place, intent);
  }
  expect(await stored("pbis", "priority", pbi.id)).toBe(priority);
  expect(await stored("pbis", "title", pbi.id)).toBe("Exports, mended");
  expect(await stored("stories", "priority", story.id)).toBe(priority);
  expect(await stored("tasks", "priority", task.id)).toBe(priority);
});

it("a story is given to a member and taken back, on its page", async () => {
  await visitor.submit(`/stories/${story.id}`, "assign", { assignee_id: friend.id });
  expect(await stored("stories", "assignee_id", story.id)).toBe(friend.id);
  await visitor.submit(`/stories/${story.id}`, "assign", { assignee_id: "" });
  expect(await stored("stories", "assignee_id", story.id)).toBeNull();
});

it("a task moves to another story and keeps its code", async () => {
  const other = await create(actor, "create_story", { p_pbi_id: pbi.id, p_title: "Other" });
  await visitor.submit(`/tasks/${task.id}`, "move", { story_id: other.id });
  expect(await stored("tasks", "story_id", task.id)).toBe(other.id);
  expect(await stored("tasks", "code", task.id)).toBe(task.code);
});

it("a story moves to another PBI", async () => {
  const other = await create(actor, "create_pbi", { p_product_id: product.id, p_title: "Other" });
  await visitor.submit(`/stories/${story.id}`, "update", { pbi_id: other.id });
  expect(await stored("stories", "pbi_id", story.id)).toBe(other.id);
});

it("an idea is linked to a further product and unlinked", async () => {
  const further = await t.seedProduct(owner, { p_name: "Further" });
  const idea = await create(actor, "create_idea", { p_product_id: product.id, p_title: "Idea" });
  const links = async () => {
    const sql = "select product_id from public.idea_products where idea_id = $1";
    return (await t.sql.query(sql, [idea.id])).rows;
  };
  await visitor.submit(`/ideas/${idea.id}`, "link", { product_id: further.id });
  expect(await links()).toEqual([{ product_id: further.id }]);
  await visitor.submit(`/ideas/${idea.id}`, "unlink", { product_id: further.id });
  expect(await links()).toEqual([]);
});

it("a price is set in euro, changed and removed", async () => {
  const price = {
    model_id: "model-e",
    input_per_million: "3.5",
    output_per_million: "14",
    cache_read_per_million: "0",
    cache_write_per_million: "0",
    currency: "EUR",
  };
  await visitor.submit("/admin/prices", "set", price);
  const prices = async () => {
    const sql = "select input_per_million::float as input, currency from public.model_prices";
    return (await t.sql.query(sql)).rows;
  };
  expect(await prices()).toEqual([{ input: 3.5, currency: "EUR" }]);
  await visitor.submit("/admin/prices", "set", { ...price, input_per_million: "4" });
  expect(await prices()).toEqual([{ input: 4, currency: "EUR" }]);
  await visitor.submit("/admin/prices", "remove", { model_id: "model-e" });
  expect(await prices()).toEqual([]);
});

it("a webhook is switched off and on and deleted", async () => {
  const settings = `/products/${product.id}/settings/integrations`;
  const rows = await t.query`insert into public.webhooks (product_id, url, events, secret)
    values (${product.id}, 'https://example.com/hook', '["run_done"]', repeat('s', 32)) returning id`;
  const { id } = rows[0];
  await visitor.submit(settings, "switch-webhook", { webhook_id: id });
  expect(await stored("webhooks", "active", id)).toBe(false);
  await visitor.submit(settings, "switch-webhook", { webhook_id: id });
  expect(await stored("webhooks", "active", id)).toBe(true);
  await visitor.submit(settings, "delete-webhook", { webhook_id: id });
  expect(await stored("webhooks", "id", id)).toBeUndefined();
});

it("a failed sprint shows no button that can only be refused", async () => {
  const failed = await create(actor, "create_sprint", { p_product_id: product.id });
  const open = await create(actor, "create_story", { p_pbi_id: pbi.id, p_title: "Still open" });
  await t.query`update public.sprints set status = 'FAILED' where id = ${failed.id}`;
  const page = await visitor.read(`/products/${product.id}/sprints/${failed.id}`);
  expect(page).toContain('value="resume-sprint"');
  expect(page).not.toContain('value="complete-sprint"');
  expect(page).not.toContain('value="add-story"');
  const panel = `/products/${product.id}/backlog?panel=story:${open.id}`;
  expect(await visitor.read(panel)).not.toContain(`Move to ${failed.code}`);
});

it("an owner finds archived products on the dashboard, restores one and deletes one", async () => {
  const kept = await t.seedProduct(owner, { p_name: "Kept" });
  const gone = await t.seedProduct(owner, { p_name: "Gone" });
  const foreign = await t.seedProduct(friend, { p_name: "Of a friend" });
  await t.addMember(foreign.id, owner);
  for (const { id } of [kept, gone]) {
    await visitor.submit(`/products/${id}/settings/danger`, "archive");
  }
  await t.query`update public.products set archived_at = now() where id = ${foreign.id}`;

  const restorable = async () =>
    [...(await visitor.read("/dashboard")).matchAll(/aria-label="Delete ([^"]*)"/g)].map(([, name]) => name);
  expect(await restorable()).toEqual(["Gone", "Kept"]);
  await visitor.submit("/dashboard", "delete", { code: gone.code });
  expect(await stored("products", "id", gone.id)).toBeUndefined();
  await visitor.submit("/dashboard", "restore");
  expect(await stored("products", "archived_at", kept.id)).toBeNull();
  expect(await restorable()).toEqual([]);
});

it("The sample product belongs to the person who asks for it and counts toward the limit on new products", async () => {
  const beginner = await t.createUser();
  const theirs = await app.visitorOf(beginner);
  const foreign = await t.seedProduct(friend, { p_code: "SAMPLE" });
  await t.addMember(foreign.id, beginner);
  const post = () => theirs.send("/start", [["intent", "demo"]]);
  for (let n = 1; n <= 5; n++) {
    expect((await post()).status).toBe(201);
    // The same one is found again, which costs nothing.
    expect((await post()).status).toBe(201);
    await t.sql.query("update public.products set code = $2 where owner_id = $1 and code = 'SAMPLE'", [
      beginner.id,
      `TAKEN${n}`,
    ]);
  }
  const rows = await t.query`select from public.products where owner_id = ${beginner.id}`;
  expect(rows).toHaveLength(5);
  expect((await post()).status).toBe(429);
});

it("One press of the first steps creates all that the demo agent needs and shows its command once", async () => {
  const beginner = await t.createUser();
  const steps = await app.visitorOf(beginner);
  const shown = await (await steps.send("/start", [["intent", "demo"]])).text();
  expect(shown).toMatch(/BACKLOOM_TOKEN=blm_[\w-]+ node .* --exec demo --demo-ask --product SAMPLE/);
  const rows = await t.query`
    select r.status::text, (select count(*)::int from public.agent_jobs j where j.sprint_run_id = r.id) as jobs
    from public.sprint_runs r join public.products p on p.id = r.product_id where p.owner_id = ${beginner.id}`;
  expect(rows).toEqual([{ status: "QUEUED", jobs: 2 }]);
  expect(await steps.read("/start")).not.toContain("BACKLOOM_TOKEN");
  // Of their own products they lead on with the one made last.
  for (const p_name of ["Abacus", "Zeppelin"]) await t.seedProduct(beginner, { p_name });
  expect(await steps.read("/start")).toContain("Your backlog is Zeppelin");
});
