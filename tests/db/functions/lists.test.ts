import { expect, it } from "vitest";
import { z } from "zod";
import { callAs } from "~/db/rpc.server";
import { updateProduct } from "~/nouns/products/operations.server";
import { createTestDatabase } from "../../setup/database";
import { at, claim, create, finish } from "../../setup/world";

const t = await createTestDatabase();

const code = z.looseObject({ code: z.string() });
const listed = z.looseObject({ stories: z.array(code), tasks: z.array(code) });
const codes = (items: { code: string }[]) => items.map((item) => item.code);

it("stories and tasks without a number stand in the order of their making on every page", async () => {
  const world = await t.seedWorld(0);
  const { actor, product, pbi } = world;
  const names = ["PEAR", "FIG", "PLUM", "LIME", "KIWI", "DATE"];
  const stories: string[] = [];
  for (const name of names) {
    const made = await create(actor, "create_story", { p_pbi_id: pbi.id, p_title: name, p_code: name });
    stories.push(made.id);
    for (const task of ["B", "A", "C"]) {
      await create(actor, "create_task", { p_story_id: made.id, p_title: task, p_code: `${name}-${task}` });
    }
  }
  // One place for all of them: what is left is when they were made.
  await t.query`update public.stories set sort_order = 1 where product_id = ${product.id}`;
  await t.query`update public.tasks set sort_order = 1 where product_id = ${product.id}`;
  const tasks = names.flatMap((name) => ["B", "A", "C"].map((task) => `${name}-${task}`));
  const sprint = await create(actor, "create_sprint", { p_product_id: product.id, p_sprint_goal: "Goal" });
  const board = () =>
    callAs(actor, "get_sprint_board", { p_sprint_id: sprint.id }, listed.extend({ candidates: z.array(code) }));
  const madeOrder = [world.story.code, ...names];
  expect(codes((await board()).candidates)).toEqual(madeOrder);

  for (const storyId of stories) {
    await create(actor, "add_story_to_sprint", { p_sprint_id: sprint.id, p_story_id: storyId });
  }
  await create(actor, "start_sprint", { p_sprint_id: sprint.id });
  expect(codes((await board()).stories)).toEqual(names);
  expect(codes((await board()).tasks)).toEqual(tasks);
  const solo = await callAs(actor, "get_solo_board", { p_product_id: product.id }, listed);
  expect(codes(solo.tasks)).toEqual(tasks);

  const rows = await t.query`select id from public.tasks where code = 'FIG-A'`;
  const page = await callAs(
    actor,
    "get_task_page",
    { p_task_id: rows[0].id },
    z.looseObject({ stories: z.array(code) }),
  );
  expect(codes(page.stories)).toEqual(madeOrder);
});

it("workers online are the same number on the board, the dashboard and the stream", async () => {
  const { actor, owner, product } = await t.seedWorld(0);
  const worker = (name: string, seen: string, stopped: string | null) =>
    t.query`insert into public.agent_workers (user_id, name, last_seen_at, stopped_at)
      values (${owner.id}, ${name}, now() - ${seen}::interval, now() - ${stopped}::interval)`;
  await worker("here", "10 seconds", null);
  await worker("quiet", "150 seconds", null);
  await worker("stopped", "10 seconds", "5 seconds");
  const online = z.looseObject({ workers_online: z.number() });
  const scope = { p_product_id: product.id };
  expect((await callAs(actor, "get_dashboard", {}, online)).workers_online).toBe(1);
  expect((await callAs(actor, "get_solo_board", scope, online)).workers_online).toBe(1);
  const solo = z.object({ workers: z.object({ count: z.number() }) });
  expect((await callAs(actor, "get_solo_state", scope, solo)).workers.count).toBe(1);
});

const { owner, actor, product, sprint, stories, start } = await t.seedSprint({
  strategy: "STORY",
  stories: [1, 1, 1, 1],
});
await updateProduct(actor, { product_id: product.id, done_requires: "person" });
await start();
for (const _ of stories) await finish(actor, await claim(actor));
const story_id = at(stories, 3).id;
const webhook_id = "00000000-0000-4000-8000-000000000001";
await t.sql.query(`
  insert into webhooks (id, product_id, url, secret, events)
    values ('${webhook_id}', '${product.id}', 'https://example.test', repeat('x', 32), '["ping"]');
  create temporary table hours as select now() - (n / 2) * interval '1 hour' as at, n from generate_series(1, 3) n;
  insert into notices (kind, webhook_id, payload, created_at) select 'ping', '${webhook_id}', '{}', at from hours;
  insert into comments (product_id, story_id, author_id, author, body, created_at)
    select '${product.id}', '${story_id}', '${owner.id}', 'x', 'x', at from hours;
  insert into story_logs (story_id, product_id, type, content, created_at)
    select '${story_id}', '${product.id}', 'IMPLEMENTATION_PLAN', 'x', at from hours;
  insert into files (product_id, name, type, size, created_at) select '${product.id}', 'x.txt', 'text/plain', 1, at from hours;
  insert into ideas (user_id, product_id, code, title, created_at)
    select '${owner.id}', '${product.id}', 'IDEA-10' || n, 'x', at from hours;
  insert into agent_questions (product_id, story_id, question, created_at) select '${product.id}', '${story_id}', 'x', at from hours;
  insert into user_questions (idea_id, user_id, question, job_id, created_at)
    select i.id, '${owner.id}', 'x', (select id from agent_jobs order by position desc limit 1), h.at
    from hours h join ideas i on i.code = 'IDEA-101';
  insert into sprint_runs (product_id, sprint_id, status, pr_strategy, branch, created_at, finished_at)
    select '${product.id}', '${sprint.id}', 'DONE', 'STORY', 'x', at, at from hours where n < 3;
  drop table hours`);

const product_id = { p_product_id: product.id };
/** The lists that are read in pages: the arguments, where the rows are, their table and their id. */
const lists: [name: string, given: object, rows: string, table: string, id?: string][] = [
  ["list_waiting_reviews", product_id, "reviews", "agent_jobs", "job_id"],
  ["list_agent_jobs", product_id, "jobs", "agent_jobs"],
  ["list_comments", { p_kind: "story", p_id: story_id }, "comments", "comments"],
  ["list_files", product_id, "files", "files"],
  ["list_ideas", product_id, "items", "ideas"],
  ["list_webhook_deliveries", { p_webhook_id: webhook_id }, "deliveries", "notices"],
  ["list_open_user_questions", {}, "user_questions", "user_questions"],
  ["list_questions", product_id, "questions", "agent_questions"],
  ["list_sprint_runs", product_id, "runs", "sprint_runs"],
  ["list_story_logs", { p_story_id: story_id }, "items", "story_logs"],
  ["get_sprint_context", { p_sprint_id: sprint.id }, "stories", "stories"],
];

const pageSchema = z.looseObject({ next_cursor: z.string().nullable() });

it.each(lists)("A list continues after a row that is gone since: %s", async (...list) => {
  const [name, given, rows, table, id = "id"] = list;
  const read = async (more: object) => {
    const page = await callAs(actor, name, { ...given, ...more }, pageSchema);
    const found = z.array(z.looseObject({ [id]: z.string() })).parse(page[rows]);
    return { ids: found.map((row) => String(row[id])), p_cursor: page.next_cursor };
  };
  const { ids } = await read({});
  expect(ids.length).toBeGreaterThanOrEqual(3);
  const seen: string[] = [];
  let place = {};
  for (const _ of ids) {
    const page = await read({ p_limit: 1, ...place });
    seen.push(...page.ids);
    place = { p_cursor: page.p_cursor };
    if (seen.length === 1) await t.sql.query(`delete from ${table} where id = $1`, seen);
  }
  // Comments come from the newest page back, each page oldest first.
  expect(seen).toEqual(name === "list_comments" ? ids.toReversed() : ids);
});

it.each(lists)("A list refuses a cursor of another list: %s", async (name, given) => {
  for (const p_cursor of ["1_2_3_4", `1_2_3_${product.id}`, product.id, "x", ""]) {
    const asked = callAs(actor, name, { ...given, p_cursor }, z.unknown());
    await expect(asked).rejects.toMatchObject({ status: 422, issues: [{ path: "cursor" }] });
  }
});

it("Each operation that takes a cursor is one of the tested lists or the search", async () => {
  const { rows } = await t.sql.query<{ name: string }>(
    "select proname as name from pg_proc where pronamespace = 'operations'::regnamespace and 'p_cursor' = any (proargnames)",
  );
  // The last two hand it to list_questions and list_waiting_reviews.
  const known = ["search", "get_inbox", "list_reviews", ...lists.map(([name]) => name)];
  expect(rows.map(({ name }) => name).toSorted()).toEqual(known.toSorted());
});
