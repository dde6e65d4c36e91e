import { expect, it } from "vitest";
import { setBudget } from "~/nouns/budgets/operations.server";
import { addDependency } from "~/nouns/dependencies/operations.server";
import { createLabel } from "~/nouns/labels/operations.server";
import { archiveProduct, updateProduct } from "~/nouns/products/operations.server";
import { fireDueRecurrences } from "~/nouns/recurrences/recurrences.server";
import { deleteStory, updateStory } from "~/nouns/stories/operations.server";
import { updateTask } from "~/nouns/tasks/operations.server";
import { openApp } from "../setup/app";
import { at } from "../setup/world";

const { t, app } = await openApp();
const weekly = { cron: "0 9 * * 1", zone: "Europe/Berlin", missed: "once" };

async function scene() {
  const owner = await t.createUser();
  const actor = t.actorOf(owner);
  const { product, pbi, story, task, sprint } = await t.seedBacklog(owner);
  const headers = await t.bearerOf(owner);
  const ask = (method: string, body?: unknown, as = headers) =>
    app.send(method, `/api/stories/${story.id}/recurrence`, body, as);
  const get = async (path: string) => app.request(path, { headers });
  /** The template's next slot, as if the clock stood there. */
  const makeDue = (ago = "0 seconds") =>
    t.query`update recurrences set next_at = now() - ${ago}::interval where story_id = ${story.id}`;
  const copies = async () =>
    await t.query`select id, code, title, status, sprint_id from stories
      where template_id = ${story.id} order by created_at`;
  return { owner, actor, product, pbi, story, task, sprint, headers, ask, get, makeDue, copies };
}

it("A schedule makes a story a template, tells its next slots, and can be changed and stopped", async () => {
  const { story, ask, get, product } = await scene();
  expect(await (await ask("GET")).json()).toEqual({ recurrence: null, template: null });
  const made = await ask("PUT", weekly);
  expect(made.status).toBe(200);
  const { recurrence } = await made.json();
  expect(recurrence).toMatchObject({ story_id: story.id, ...weekly, last: null });
  expect(recurrence.next).toHaveLength(3);
  expect(recurrence.next[0]).toBe(new Date(recurrence.next_at).toISOString());
  for (const next of recurrence.next) expect(new Date(next).getUTCDay()).toBe(1);
  expect(await (await ask("GET")).json()).toEqual({ recurrence, template: null });
  const changed = await ask("PUT", { ...weekly, cron: " 30  6 1 * * ", missed: "skip" });
  expect((await changed.json()).recurrence).toMatchObject({ cron: "30 6 1 * *", missed: "skip" });

  expect((await (await get(`/api/stories/${story.id}`)).json()).status).toBe("template");
  expect((await ask("DELETE")).status).toBe(204);
  expect((await ask("DELETE")).status).toBe(404);
  expect((await (await get(`/api/stories/${story.id}`)).json()).status).toBe("open");
  const backlog = await (await get(`/api/products/${product.id}/backlog`)).text();
  expect(backlog).toContain(story.id);
});

it("A recurrence that is not a schedule is refused, and says what to write", async () => {
  const { ask } = await scene();
  const wrong = [
    [{ cron: "every monday" }, "five fields"],
    [{ cron: "* * * * * *" }, "five fields"],
    [{ cron: "0 25 * * *" }, "hour 0-23"],
    [{ cron: "0 0 31 2 *" }, "never runs"],
    [{ ...weekly, zone: "Mars/Olympus" }, "Europe/Berlin"],
    [{ ...weekly, missed: "twice" }, "once"],
    [{}, ""],
  ] as const;
  for (const [body, words] of wrong) {
    const answer = await ask("PUT", body);
    expect([body, answer.status]).toEqual([body, 422]);
    expect(await answer.text()).toContain(words);
  }
  expect(await (await ask("GET")).json()).toMatchObject({ recurrence: null });
});

it("Members set a schedule, viewers read it, strangers do neither, and with triage on no token sets it", async () => {
  const { ask, actor, product } = await scene();
  await ask("PUT", weekly);
  const viewer = await t.createMember(product.id, { viewer: true });
  expect((await ask("GET", undefined, await t.bearerOf(viewer))).status).toBe(200);
  expect((await ask("PUT", weekly, await t.bearerOf(viewer))).status).toBe(403);
  expect((await ask("DELETE", undefined, await t.bearerOf(viewer))).status).toBe(403);
  const stranger = await t.bearerOf(await t.createUser());
  for (const [method, body] of [["GET"], ["PUT", weekly], ["DELETE"]] as const) {
    expect([403, 404]).toContain((await ask(method, body, stranger)).status);
  }
  await updateProduct(actor, { product_id: product.id, agent_items: "triage" });
  const answer = await ask("PUT", weekly);
  expect([answer.status, await answer.text()]).toEqual([403, expect.stringContaining("triage")]);
});

it("A story that is being worked on or that another waits for becomes no template", async () => {
  const { ask, actor, task, story, pbi } = await scene();
  await updateTask(actor, { task_id: task.id, status: "in_progress" });
  expect([(await ask("PUT", weekly)).status]).toEqual([409]);
  await updateTask(actor, { task_id: task.id, status: "todo" });
  const rows = await t.query`insert into stories (pbi_id, title) values (${pbi.id}, 'Waits') returning id`;
  await addDependency(actor, { kind: "story", id: at(rows, 0).id, blocked_by: story.id });
  const answer = await ask("PUT", weekly);
  expect([answer.status, (await answer.json()).error]).toEqual([409, expect.stringContaining("waiting for")]);
});

it("A template is offered to no agent: not in sprint, next story, context, ready list, backlog or run", async () => {
  const { ask, get, product, story, task, sprint, headers, actor } = await scene();
  await updateTask(actor, { task_id: task.id, implementation_plan: "1. Do it" });
  expect((await get(`/api/products/${product.id}/next-story`)).status).toBe(200);
  await ask("PUT", weekly);
  expect((await get(`/api/products/${product.id}/next-story`)).status).toBe(404);
  const paths = ["agent-context", "ready", "backlog"].map((it) => `/api/products/${product.id}/${it}`);
  for (const path of [...paths, `/api/sprints/${sprint.id}/tasks`]) {
    const text = await (await get(path)).text();
    expect(text, path).not.toContain(String(story.code));
  }
  for (const wish of [{ story_id: story.id }, { task_ids: [task.id] }]) {
    const run = await app.send("POST", "/api/runs", wish, headers);
    expect([run.status, await run.text()]).toEqual([409, expect.stringContaining("template")]);
  }
});

it("A template is copied with everything planned in it, into the active sprint or else the backlog", async () => {
  const { ask, get, actor, story, task, product, sprint, makeDue, copies } = await scene();
  await createLabel(actor, { product_id: product.id, name: "chore" });
  await updateStory(actor, {
    story_id: story.id,
    title: "Update dependencies",
    description: "All of them",
    acceptance_criteria: "- Tests pass",
    labels: ["chore"],
    priority: 1,
  });
  await updateTask(actor, { task_id: task.id, implementation_plan: "1. Do it" });
  await t.query`update tasks set title = 'npm' where id = ${task.id}`;
  const rows = await t.query`insert into tasks (story_id, title) values (${story.id}, 'Then pip') returning id`;
  await addDependency(actor, { kind: "task", id: at(rows, 0).id, blocked_by: task.id });
  await setBudget(actor, { product_id: product.id, scope: "task", target_id: task.id, unit: "USD", amount: 2 });
  await ask("PUT", weekly);
  await makeDue();
  expect(await fireDueRecurrences(t.database)).toEqual(["fired"]);
  const [copy] = await copies();
  expect(copy).toMatchObject({ title: "Update dependencies", status: "IN_SPRINT", sprint_id: sprint.id });
  const [{ same }] = await t.query`
      select (a.description, a.acceptance_criteria, a.priority, a.label_ids, a.pbi_id) =
        (b.description, b.acceptance_criteria, b.priority, b.label_ids, b.pbi_id) as same
      from stories a, stories b where a.id = ${story.id} and b.id = ${copy.id}`;
  expect(same).toBe(true);
  const tasks = await t.query`
      select x.title, x.status, x.implementation_plan, b.amount::float, w.title as waits_for
      from tasks x left join budgets b on b.task_id = x.id
      left join task_dependencies d on d.blocked_id = x.id left join tasks w on w.id = d.blocker_id and w.story_id = x.story_id
      where x.story_id = ${copy.id} order by x.sort_order`;
  expect(tasks).toEqual([
    { title: "npm", status: "TO_DO", implementation_plan: "1. Do it", amount: 2, waits_for: null },
    { title: "Add the button", status: "TO_DO", implementation_plan: null, amount: null, waits_for: null },
    { title: "Then pip", status: "TO_DO", implementation_plan: null, amount: null, waits_for: "npm" },
  ]);
  const origin = await get(`/api/stories/${copy.id}/recurrence`);
  expect(await origin.json()).toMatchObject({ recurrence: null, template: { id: story.id } });
  expect((await (await ask("GET")).json()).recurrence.last).toMatchObject({
    outcome: "fired",
    story_id: copy.id,
    story_code: copy.code,
  });

  await t.query`update tasks set status = 'DONE' where story_id = ${copy.id}`;
  await t.query`update sprints set status = 'COMPLETED' where id = ${sprint.id}`;
  await makeDue();
  await fireDueRecurrences(t.database);
  expect((await copies()).map((it) => it.sprint_id)).toEqual([sprint.id, null]);
});

it("A template is copied once a slot, even with ten processes at once", async () => {
  const { ask, makeDue, copies } = await scene();
  await ask("PUT", weekly);
  await makeDue();
  const told = await Promise.all(Array.from({ length: 10 }, () => fireDueRecurrences(t.database)));
  expect(told.flat().filter((outcome) => outcome === "fired")).toHaveLength(1);
  expect(await copies()).toHaveLength(1);
  expect(await fireDueRecurrences(t.database)).toEqual([]);
});

it("A template makes no copy while its last one is open, and continues when that is done", async () => {
  const { ask, makeDue, copies } = await scene();
  await ask("PUT", weekly);
  await makeDue();
  await fireDueRecurrences(t.database);
  await makeDue();
  expect(await fireDueRecurrences(t.database)).toEqual(["open"]);
  expect((await (await ask("GET")).json()).recurrence.last.outcome).toBe("open");
  const [copy] = await copies();
  await t.query`update tasks set status = 'DONE' where story_id = ${copy.id}`;
  await makeDue();
  expect(await fireDueRecurrences(t.database)).toEqual(["fired"]);
  expect(await copies()).toHaveLength(2);
});

it("A template makes one copy after a night off, or none where missed slots are skipped", async () => {
  for (const [missed, outcome, count] of [
    ["once", "fired", 1],
    ["skip", "missed", 0],
  ] as const) {
    const { ask, makeDue, copies, story } = await scene();
    // Its last slot is half an hour ago, the one before an hour earlier, and so on.
    const minute = new Date(Date.now() - 30 * 60_000).getUTCMinutes();
    await ask("PUT", { cron: `${minute} * * * *`, zone: "UTC", missed });
    await makeDue("9 hours 35 minutes");
    expect(await fireDueRecurrences(t.database)).toEqual([outcome]);
    expect(await copies()).toHaveLength(count);
    const rows = await t.query`select next_at > now() as ahead,
        next_at < now() + interval '1 hour 1 minute' as near from recurrences
        where story_id = ${story.id}`;
    expect(rows).toEqual([{ ahead: true, near: true }]);
  }
});

it("A template makes no copy while a budget of the product is used up", async () => {
  const { ask, makeDue, copies, actor, product } = await scene();
  await ask("PUT", weekly);
  await setBudget(actor, { product_id: product.id, scope: "product", period: "month", unit: "USD", amount: 1 });
  await t.query`update budgets set reached_at = now() where product_id = ${product.id}`;
  await makeDue();
  expect(await fireDueRecurrences(t.database)).toEqual(["budget"]);
  expect(await copies()).toEqual([]);
});

it("A template makes no copy once its product is archived, its schedule stopped or itself deleted", async () => {
  const { ask, makeDue, copies, actor, product, story } = await scene();
  await ask("PUT", weekly);
  await makeDue();
  await ask("DELETE");
  expect(await fireDueRecurrences(t.database)).toEqual([]);
  await ask("PUT", weekly);
  await makeDue();
  await t.query`update products set archived_at = now() where id = ${product.id}`;
  expect(await fireDueRecurrences(t.database)).toEqual([]);
  await t.query`update products set archived_at = null where id = ${product.id}`;
  await deleteStory(actor, { story_id: story.id });
  expect(await fireDueRecurrences(t.database)).toEqual([]);
  expect(await copies()).toEqual([]);
  await archiveProduct(actor, { product_id: product.id });
});
