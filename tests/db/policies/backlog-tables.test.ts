import { describe, expect, it } from "vitest";
import { addComment } from "~/nouns/comments/operations.server";
import { createIdea, linkIdeaProduct } from "~/nouns/ideas/operations.server";
import { createProduct } from "~/nouns/products/operations.server";
import { createSprint } from "~/nouns/sprints/operations.server";
import { appendStoryLog } from "~/nouns/stories/operations.server";
import { createTestDatabase } from "../../setup/database";
import { at } from "../../setup/world";
import { asUser, becomeCaller, outcomeOf } from "../as-user";

/**
 * Row level security alone, past every operation: what each kind of caller reads and writes in each table of a
 * product. Numbers are rows; 42501 is a refusal by grant or policy. The world holds one row of everything.
 */

const t = await createTestDatabase();
const world = await t.seedWorld(1);
const member = await t.createUser();
const demo = await t.createUser({ demo: true });
const stranger = await t.createUser();
const product_id = world.product.id;
for (const user of [member, demo]) await t.addMember(product_id, user);
const sprint = await createSprint(world.actor, { product_id });
const idea = await createIdea(world.actor, { product_id, title: "Idea" });
const second = await createProduct(world.actor, { code: "SECOND", name: "Second" });
await linkIdeaProduct(world.actor, { idea_id: idea.id, product_id: second.id });
await appendStoryLog(world.actor, { story_id: world.story.id, type: "IMPLEMENTATION_PLAN", content: "Plan" });

const comment = await addComment(t.actorOf(member), {
  kind: "task",
  id: at(world.tasks, 0).id,
  body: `@${world.owner.username}`,
});
await t.query`insert into public.agent_messages (comment_id, product_id, code, body, author)
  values (${comment.id}, ${product_id}, 'T-1', 'x', 'x')`;
await t.query`insert into tasks_in_review (task_id, product_id) values (${at(world.tasks, 0).id}, ${product_id})`;

const callers = { owner: world.owner, member, demo, stranger, anon: "anon" } as const;
type CallerName = keyof typeof callers;
const refused = "42501";

/** Rows of the world, what is inserted and updated, and what select, insert, update and delete give the owner, and a member where it differs; `-` is a refusal. */
type TableCase = readonly [table: string, rows: string, insert: string, update: string, owner: string, member?: string];

const ofProduct = "product_id = $product";
const cases: readonly TableCase[] = [
  ["products", "id = $product", "(code, name) values ('X', 'x')", "name = 'x'", "1 1 1 1", "1 1 0 0"],
  [
    "product_members",
    `${ofProduct} and role = 'MEMBER'`,
    "(product_id, user_id) values ($product, $stranger)",
    "role = 'OWNER'",
    "2 - - 2",
    "2 - - 1",
  ],
  ["pbis", ofProduct, "(product_id, title) values ($product, 'x')", "title = 'x'", "1 1 1 1"],
  ["sprints", "id = $sprint", "(product_id) values ($product)", "sprint_goal = 'x'", "1 1 1 -"],
  ["stories", ofProduct, "(pbi_id, title) values ($pbi, 'x')", "title = 'x'", "1 1 1 1"],
  ["tasks", ofProduct, "(story_id, title) values ($story, 'x')", "status = 'DONE'", "1 1 1 1"],
  [
    "story_logs",
    ofProduct,
    "(story_id, type, content) values ($story, 'IMPLEMENTATION_PLAN', 'x')",
    "content = 'x'",
    "1 1 - -",
  ],
  [
    "task_status_changes",
    ofProduct,
    "(task_id, story_id, product_id, to_status) values ($task, $story, $product, 'DONE')",
    "to_status = 'DONE'",
    "1 - - -",
  ],
  ["tasks_in_review", ofProduct, "(task_id, product_id) values ($task, $product)", "since = now()", "1 - - -"],
  ["ideas", ofProduct, "(product_id, title) values ($product, 'x')", "title = 'x'", "1 1 1 1", "0 1 0 0"],
  [
    "idea_products",
    "idea_id = $idea",
    "(idea_id, product_id) values ($idea, $product)",
    "created_at = now()",
    "1 1 - 1",
    "0 - - 0",
  ],
  ["idea_logs", "idea_id = $idea", "(idea_id, kind) values ($idea, 'X_Y')", "content = 'x'", "2 - - -", "0 - - -"],
  [
    "comments",
    ofProduct,
    "(product_id, task_id, body, author) values ($product, $task, 'x', 'x')",
    "body = 'x'",
    "1 - - -",
  ],
  [
    "comment_mentions",
    "comment_id = $comment",
    "(comment_id, user_id) values ($comment, $stranger)",
    "created_at = now()",
    "1 - - -",
    "0 - - -",
  ],
  [
    "agent_messages",
    ofProduct,
    "(comment_id, product_id, code, body, author) values ($comment, $product, 'T-1', 'x', 'x')",
    "body = 'x'",
    "1 - - -",
  ],
  ["code_counters", "true", "(scope_id, kind) values ($product, 'task')", "last_number = 0", "- - - -"],
];
const ids: Readonly<Record<string, string>> = {
  $product: product_id,
  $pbi: world.pbi.id,
  $story: world.story.id,
  $task: at(world.tasks, 0).id,
  $sprint: sprint.id,
  $idea: idea.id,
  $comment: comment.id,
  $stranger: stranger.id,
};
const outcomesOf = (row: string) => row.split(" ").map((outcome) => (outcome === "-" ? refused : Number(outcome)));

/** Demo accounts read like members and write nothing; strangers see and touch nothing; no one else may even try. */
function expectedFor(caller: CallerName, [table, , , , owner, member = owner]: TableCase) {
  if (caller === "owner") return outcomesOf(owner);
  if (caller === "member") return outcomesOf(member);
  if (caller === "anon") return outcomesOf("- - - -");
  if (caller === "stranger" && table === "products") return outcomesOf("0 1 0 0");
  const untouched = (outcome = refused) => (outcome === "-" ? refused : 0);
  const [, , update, remove] = member.split(" ");
  const seen = caller === "demo" ? outcomesOf(member)[0] : untouched(owner.split(" ")[0]);
  return [seen, refused, untouched(update), untouched(remove)];
}

function attempts([table, rows, insert, update]: TableCase) {
  return [
    `select from public.${table} where ${rows}`,
    `insert into public.${table} ${insert}`,
    `update public.${table} set ${update} where ${rows}`,
    `delete from public.${table} where ${rows}`,
  ].map((text) => text.replaceAll(/\$\w+/g, (name) => `'${ids[name]}'`));
}

describe.each(cases.map((table) => ({ name: table[0], table })))("$name", ({ table }) => {
  it.each(["owner", "member", "demo", "stranger", "anon"] as const)(
    "Row level security alone gives %s what is theirs in a table and no more (D1, D2, D3)",
    async (caller) => {
      await asUser(t, callers[caller], async (client) => {
        const outcomes = [];
        for (const attempt of attempts(table)) outcomes.push(await outcomeOf(client, attempt));
        expect(outcomes).toEqual(expectedFor(caller, table));
      });
    },
  );
});

it("The check of row level security notices a policy that lets strangers read (D3)", async () => {
  const client = await t.begin();
  await client.query("create policy planted on public.tasks for select to authenticated using (true)");
  await becomeCaller(client, stranger);
  const seen = await outcomeOf(client, `select from public.tasks where product_id = '${product_id}'`);
  expect(seen).toBe(1);
});

it("An archived product is read-only for direct writes too", async () => {
  const archived = await t.seedWorld(1);
  await t.query`update public.products set archived_at = now() where id = ${archived.product.id}`;
  await asUser(t, archived.owner, async (client) => {
    const own = `product_id = '${archived.product.id}'`;
    expect(await outcomeOf(client, `select from public.tasks where ${own}`)).toBe(1);
    expect(await outcomeOf(client, `update public.tasks set title = 'x' where ${own}`)).toBe(0);
    expect(await outcomeOf(client, `delete from public.stories where ${own}`)).toBe(0);
    const insert = `insert into public.pbis (product_id, title) values ('${archived.product.id}', 'x')`;
    expect(await outcomeOf(client, insert)).toBe(refused);
    expect(await outcomeOf(client, "update public.products set name = 'x'")).toBe("PT403");
  });
});
