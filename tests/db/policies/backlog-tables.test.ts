import { describe, expect, it } from "vitest";
import { addComment } from "~/nouns/comments/operations.server";
import { createIdea, linkIdeaProduct } from "~/nouns/ideas/operations.server";
import { createProduct } from "~/nouns/products/operations.server";
import { createSprint } from "~/nouns/sprints/operations.server";
import { appendStoryLog } from "~/nouns/stories/operations.server";
import { createTestDatabase } from "../../setup/database";
import { at } from "../../setup/world";
import { asUser, outcomeOf } from "../as-user";

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
await t.query`insert into public.tasks_in_review (task_id, product_id)
  values (${at(world.tasks, 0).id}, ${product_id})`;

const callers = { owner: world.owner, member, demo, stranger, anon: "anon" } as const;
type CallerName = keyof typeof callers;
const refused = "42501";

interface TableCase {
  table: string;
  /** A condition that picks the world's rows. */
  rows: string;
  insert: string;
  update: string;
  /** What select, insert, update and delete give each caller. */
  owner: [number | string, number | string, number | string, number | string];
  member: TableCase["owner"];
}

const cases: TableCase[] = [
  {
    table: "products",
    rows: `id = '${product_id}'`,
    insert: "(code, name) values ('X', 'x')",
    update: "name = 'x'",
    owner: [1, 1, 1, 1],
    member: [1, 1, 0, 0],
  },
  {
    table: "product_members",
    rows: `product_id = '${product_id}' and role = 'MEMBER'`,
    insert: `(product_id, user_id) values ('${product_id}', '${stranger.id}')`,
    update: "role = 'OWNER'",
    owner: [2, 1, refused, 2],
    member: [2, refused, refused, 1],
  },
  {
    table: "pbis",
    rows: `product_id = '${product_id}'`,
    insert: `(product_id, title) values ('${product_id}', 'x')`,
    update: "title = 'x'",
    owner: [1, 1, 1, 1],
    member: [1, 1, 1, 1],
  },
  {
    table: "sprints",
    rows: `id = '${sprint.id}'`,
    insert: `(product_id) values ('${product_id}')`,
    update: "sprint_goal = 'x'",
    owner: [1, 1, 1, refused],
    member: [1, 1, 1, refused],
  },
  {
    table: "stories",
    rows: `product_id = '${product_id}'`,
    insert: `(pbi_id, title) values ('${world.pbi.id}', 'x')`,
    update: "title = 'x'",
    owner: [1, 1, 1, 1],
    member: [1, 1, 1, 1],
  },
  {
    table: "tasks",
    rows: `product_id = '${product_id}'`,
    insert: `(story_id, title) values ('${world.story.id}', 'x')`,
    update: "status = 'DONE'",
    owner: [1, 1, 1, 1],
    member: [1, 1, 1, 1],
  },
  {
    table: "story_logs",
    rows: `product_id = '${product_id}'`,
    insert: `(story_id, type, content) values ('${world.story.id}', 'IMPLEMENTATION_PLAN', 'x')`,
    update: "content = 'x'",
    owner: [1, 1, refused, refused],
    member: [1, 1, refused, refused],
  },
  {
    table: "task_status_changes",
    rows: `product_id = '${product_id}'`,
    insert: `(task_id, story_id, product_id, to_status) values ('${at(world.tasks, 0).id}', '${world.story.id}', '${product_id}', 'DONE')`,
    update: "to_status = 'DONE'",
    owner: [1, refused, refused, refused],
    member: [1, refused, refused, refused],
  },
  {
    table: "tasks_in_review",
    rows: `product_id = '${product_id}'`,
    insert: `(task_id, product_id) values ('${at(world.tasks, 0).id}', '${product_id}')`,
    update: "since = now()",
    owner: [1, refused, refused, refused],
    member: [1, refused, refused, refused],
  },
  {
    table: "ideas",
    rows: `product_id = '${product_id}'`,
    insert: `(product_id, title) values ('${product_id}', 'x')`,
    update: "title = 'x'",
    owner: [1, 1, 1, 1],
    member: [0, 1, 0, 0],
  },
  {
    table: "idea_products",
    rows: `idea_id = '${idea.id}'`,
    insert: `(idea_id, product_id) values ('${idea.id}', '${product_id}')`,
    update: "created_at = now()",
    owner: [1, 1, refused, 1],
    member: [0, refused, refused, 0],
  },
  {
    table: "idea_logs",
    rows: `idea_id = '${idea.id}'`,
    insert: `(idea_id, kind) values ('${idea.id}', 'X_Y')`,
    update: "content = 'x'",
    owner: [2, refused, refused, refused],
    member: [0, refused, refused, refused],
  },
  {
    table: "comments",
    rows: `product_id = '${product_id}'`,
    insert: `(product_id, task_id, body, author) values ('${product_id}', '${at(world.tasks, 0).id}', 'x', 'x')`,
    update: "body = 'x'",
    owner: [1, refused, refused, refused],
    member: [1, refused, refused, refused],
  },
  {
    table: "comment_mentions",
    rows: `comment_id = '${comment.id}'`,
    insert: `(comment_id, user_id) values ('${comment.id}', '${stranger.id}')`,
    update: "created_at = now()",
    owner: [1, refused, refused, refused],
    member: [0, refused, refused, refused],
  },
  {
    table: "agent_messages",
    rows: `product_id = '${product_id}'`,
    insert: `(comment_id, product_id, code, body, author) values ('${comment.id}', '${product_id}', 'T-1', 'x', 'x')`,
    update: "body = 'x'",
    owner: [1, refused, refused, refused],
    member: [1, refused, refused, refused],
  },
  {
    table: "code_counters",
    rows: "true",
    insert: `(scope_id, kind) values ('${product_id}', 'task')`,
    update: "last_number = 0",
    owner: [refused, refused, refused, refused],
    member: [refused, refused, refused, refused],
  },
];

/** Demo accounts read like members and write nothing; strangers see and touch nothing; no one else may even try. */
function expectedFor(caller: CallerName, table: TableCase): TableCase["owner"] {
  const granted = (value: number | string) => value !== refused;
  if (caller === "owner" || caller === "member") return table[caller];
  if (caller === "anon") return [refused, refused, refused, refused];
  const [read, , update, remove] = table.member;
  const untouched = (value: number | string) => (granted(value) ? 0 : refused);
  const seen = caller === "demo" ? read : untouched(table.owner[0]);
  return [seen, refused, untouched(update), untouched(remove)];
}

function attempts({ table, rows, insert, update }: TableCase) {
  return [
    `select from public.${table} where ${rows}`,
    `insert into public.${table} ${insert}`,
    `update public.${table} set ${update} where ${rows}`,
    `delete from public.${table} where ${rows}`,
  ];
}

describe.each(cases)("$table", (table) => {
  it.each(["owner", "member", "demo", "stranger", "anon"] as const)(
    "Row level security alone gives %s what is theirs in a table and no more (D1, D2, D3)",
    async (caller) => {
      await asUser(t, callers[caller], async (client) => {
        const outcomes = [];
        for (const attempt of attempts(table)) outcomes.push(await outcomeOf(client, attempt));
        const expected = expectedFor(caller, table);
        const insertOfOwnProduct = table.table === "products" && caller === "stranger";
        expect(outcomes).toEqual(insertOfOwnProduct ? [0, 1, 0, 0] : expected);
      });
    },
  );
});

describe("the check itself", () => {
  it("The check of row level security notices a policy that lets strangers read (D3)", async () => {
    const client = await t.sql.connect();
    await client.query("begin");
    await client.query("create policy planted on public.tasks for select to authenticated using (true)");
    await client.query("select set_config('request.jwt.claims', $1, true), set_config('role', 'authenticated', true)", [
      JSON.stringify({ sub: stranger.id, role: "authenticated" }),
    ]);
    const seen = await outcomeOf(client, `select from public.tasks where product_id = '${product_id}'`);
    await client.query("rollback");
    client.release();
    expect(seen).toBe(1);
  });
});

describe("an archived product", () => {
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
});
