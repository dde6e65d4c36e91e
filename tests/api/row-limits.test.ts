import { describe, expect, it } from "vitest";
import { createIdea } from "~/nouns/ideas/operations.server";
import { createWebhook, subscribePush } from "~/nouns/notices/operations.server";
import { createPbi } from "~/nouns/pbis/operations.server";
import { askQuestion, cancelQuestion } from "~/nouns/questions/operations.server";
import { createSavedView } from "~/nouns/saved-views/operations.server";
import { createSprint } from "~/nouns/sprints/operations.server";
import { appendStoryLog, createStory } from "~/nouns/stories/operations.server";
import { createTask, makeStoryTasks } from "~/nouns/tasks/operations.server";
import { refusalOf } from "../db/refusal";
import { openApp } from "../setup/app";
import { linear } from "../transfers/exports";
import { mover, newProduct } from "../transfers/mover";

const { t, app } = await openApp();

it("An account owns at most 200 products, whichever way they are made", async () => {
  const owner = await t.createUser();
  const fill =
    "insert into public.products (owner_id, code, name) select $1, 'P' || n, 'One' from generate_series(1, $2) n";
  await t.sql.query(fill, [owner.id, 199]);
  const { send, move } = await mover(t, app, owner);
  const target = { format: "linear", ...newProduct() };
  await move(target, ["linear.csv", linear]);
  const answer = await send({ format: "linear", ...newProduct() }, ["linear.csv", linear]);
  expect(answer.status).toBe(409);
  expect(await answer.json()).toMatchObject({
    error: "There are 200 products that you own, which is the limit. Delete some that are not needed.",
  });
  const refused = await refusalOf(t.seedProduct(owner, {}));
  expect(refused.status).toBe(409);
  expect(await t.seedProduct(await t.createUser(), {})).toBeDefined();
});

it("a selection larger than the limit on tasks gets one task for each of its stories", async () => {
  const { actor, product, pbi } = await t.seedWorld(0);
  const stories = await t.query`insert into public.stories (pbi_id, title)
    select ${pbi.id}, 'Story ' || n from generate_series(1, 130) n returning id`;
  const story_ids = stories.map(({ id }) => String(id));
  expect(await makeStoryTasks(actor, { product_id: product.id, story_ids })).toEqual({ made: 130 });
  const story_id = story_ids[0] ?? "";
  for (let at = 0; at < 100; at += 1) await createTask(actor, { story_id, title: `Task ${at}` });
  const refused = await refusalOf(createTask(actor, { story_id, title: "One too many" }));
  expect(refused.status).toBe(429);
});

it("Every operation that makes counted rows from a list says how it fits the limit", async () => {
  const counted = await t.query`select distinct c.relname as name from pg_trigger g
    join pg_class c on c.oid = g.tgrelid where g.tgname = '_140_take_rate_limit' or g.tgfoid =
      'private.tg_any__take_rate_limit'::regproc`;
  const names = counted.map(({ name }) => String(name)).join("|");
  const makes = `insert into public\\.(${names})\\s*\\([^)]*\\)\\s*select|loop.*operations\\.create_(story|task|pbi|sprint|idea)\\(`;
  const open = await t.query`select p.proname from pg_proc p
    where p.pronamespace = 'operations'::regnamespace and has_function_privilege('authenticated', p.oid, 'execute')
      and p.prosrc ~ ${makes} and p.prosrc ~ 'jsonb_array_elements'
      and p.prosrc !~ 'private\\.(count_once|require_fits|import_rows)\\('`;
  expect(open).toEqual([]);
});

it("At most 300 questions of one user wait for an answer in a product", async () => {
  const { actor, product, story } = await t.seedWorld(0);
  await t.query`insert into public.agent_questions (product_id, story_id, asked_by, question, options)
    select ${product.id}, ${story.id}, product.owner_id, 'Which?', '[]'
    from public.products product, generate_series(1, 299) where product.id = ${product.id}`;
  const ask = () => askQuestion(actor, { story_id: story.id, question: "Which one?" });
  const { id: question_id } = await ask();
  expect((await refusalOf(ask())).message).toContain("300 of your questions");
  await cancelQuestion(actor, { question_id });
  await ask();
});

it("A product has at most 50 webhooks", async () => {
  const owner = await t.createUser();
  const { id: product_id } = await t.seedProduct(owner, {});
  await t.query`insert into public.webhooks (product_id, url, secret, events)
    select ${product_id}, 'https://example.com', repeat('s', 40), '["run.finished"]'
    from generate_series(1, 49)`;
  const add = () => createWebhook(t.actorOf(owner), { product_id, url: "https://example.com/a" });
  await add();
  expect((await refusalOf(add())).message).toContain("50 webhooks of this product");
});

const owner = await t.createUser();
const { product, pbi, story } = await t.seedBacklog(owner);

describe("what a product or an account has of one kind", () => {
  const actor = t.actorOf(owner);
  const { id: product_id } = product;
  let count = 0;
  const title = "One more";

  it.each([
    {
      what: "100,000 PBIs in this product",
      table: "pbis (product_id, code, title, sort_order)",
      row: "$1::uuid, 'X' || n, 'X', n",
      scope: product_id,
      add: () => createPbi(actor, { product_id, title }),
    },
    {
      what: "100,000 stories in this product",
      table: "stories (product_id, pbi_id, code, title, sort_order)",
      row: `$1::uuid, '${pbi.id}'::uuid, 'X' || n, 'X', n`,
      scope: product_id,
      add: () => createStory(actor, { pbi_id: pbi.id, title }),
    },
    {
      what: "100,000 tasks in this product",
      table: "tasks (product_id, story_id, code, title, sort_order)",
      row: `$1::uuid, '${story.id}'::uuid, 'X' || n, 'X', n`,
      scope: product_id,
      add: () => createTask(actor, { story_id: story.id, title }),
    },
    {
      what: "10,000 sprints in this product",
      table: "sprints (product_id, code, sprint_goal)",
      row: "$1::uuid, 'SP-' || n + 1000, 'X'",
      scope: product_id,
      add: () => createSprint(actor, { product_id, sprint_goal: title }),
    },
    {
      what: "10,000 log entries of this story",
      table: "story_logs (story_id, product_id, type, content)",
      row: `$1::uuid, '${product_id}'::uuid, 'IMPLEMENTATION_PLAN', 'X'`,
      scope: story.id,
      add: () => appendStoryLog(actor, { story_id: story.id, type: "IMPLEMENTATION_PLAN", content: title }),
    },
    {
      what: "10,000 ideas of this account",
      table: "ideas (user_id, product_id, code, title)",
      row: `$1::uuid, '${product_id}'::uuid, 'IDEA-' || n + 1000, 'X'`,
      scope: owner.id,
      add: () => createIdea(actor, { product_id, title }),
    },
    {
      what: "1,000 views of this product",
      table: "saved_views (product_id, page, name, look)",
      row: "$1::uuid, 'board', 'X' || n, '{}'",
      scope: product_id,
      add: () => createSavedView(actor, { product_id, page: "board", name: `${title} ${++count}`, look: {} }),
    },
    {
      what: "50 browsers that get your messages",
      table: "push_subscriptions (user_id, endpoint, p256dh, auth)",
      row: "$1::uuid, 'https://push.example/' || n, 'k', 'a'",
      scope: owner.id,
      add: () => subscribePush(actor, { endpoint: `https://push.example/a${++count}`, p256dh: "k", auth: "a" }),
    },
  ])("There are at most $what", async ({ what, table, row, scope, add }) => {
    const name = table.split(" ", 1)[0] ?? "";
    const column = /\((\w+)/.exec(table)?.[1];
    const [limit = "", kind = ""] = what.split(/ (.*)/);
    // The trigger counts to 20 here: a hundred thousand rows would show nothing more.
    const [trigger] = await t.query`select pg_get_triggerdef(oid) as definition from pg_trigger
      where tgrelid = ${`public.${name}`}::regclass and pg_get_triggerdef(oid) like ${`%'${kind}, which%`}`;
    const definition = String(trigger?.definition);
    expect(definition).toContain(`'${limit.replace(",", "")}', '${kind}`);
    await t.sql.query(definition.replace("CREATE", "create or replace").replace(`'${limit.replace(",", "")}'`, "'20'"));
    // Filled without what else a new row does.
    await t.sql.query(`alter table public.${name} disable trigger user`);
    await t.sql.query(
      `insert into public.${table} select ${row}
       from generate_series(1, 19 - (select count(*) from public.${name} where ${column} = $1::uuid)) n`,
      [scope],
    );
    await t.sql.query(`alter table public.${name} enable trigger user`);
    await add();
    const refused = await refusalOf(add());
    expect([refused.status, refused.message]).toEqual([
      409,
      expect.stringContaining(`There are 20 ${kind}, which is the limit. `),
    ]);
  });

  it("An import exceeds no limit of a product either", async () => {
    const { send } = await mover(t, app, owner);
    const answer = await send({ format: "linear", product_id }, ["linear.csv", linear]);
    expect([answer.status, await answer.json()]).toMatchObject([
      409,
      { error: expect.stringContaining("There are 20 ") },
    ]);
  });
});
