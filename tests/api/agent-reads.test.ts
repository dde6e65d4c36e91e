import { createHash } from "node:crypto";
import { expect, it } from "vitest";
import { createIdea, linkIdeaProduct, promoteIdea } from "~/nouns/ideas/operations.server";
import { openBacklog } from "../setup/app";
import { expectRefusal } from "../setup/endpoint-checks";
import { bearer, create, seedActiveSprint } from "../setup/world";

const { t, app, owner, actor, token, backlog } = await openBacklog();
const { product, pbi, story, task, secondTask, sprint } = backlog;
const timestamp = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);

const ask = (path: string) => app.request(path, { headers: bearer(token) });
const read = async (path: string) => (await ask(path)).json();
const context = (id: string) => read(`/api/products/${id}/agent-context`);
const nextStory = (id: string) => ask(`/api/products/${id}/next-story`);
const wholeBacklog = (id: string) => read(`/api/products/${id}/backlog`);
const tasksOf = (id: string, query = "") => ask(`/api/sprints/${id}/tasks${query}`);
const addStory = (pbiId: string, code: string, priority?: number) =>
  create(actor, "create_story", { p_pbi_id: pbiId, p_title: code, p_code: code, p_priority: priority });

/** Another product of the owner, who makes more here than anyone may within a minute. */
async function newProduct(fields: Record<string, unknown> = {}) {
  await t.query`truncate public.rate_limit_counters`;
  return t.seedProduct(owner, fields);
}

/** What every answer says of the first task and of its story. */
const firstTask = {
  id: task.id,
  code: "T-1",
  title: "Write rows",
  description: "One line a row.",
  priority: 3,
  sort_order: 1,
  status: "todo",
};
const planned = { ...firstTask, implementation_plan: "1. Quote\n2. Write" };
const nextTask = { ...planned, id: secondTask.id, code: "T-2", title: "Add the button" };
const unplanned = { ...nextTask, description: "", implementation_plan: null, sort_order: 2 };
const theStory = {
  id: story.id,
  code: "ST-001",
  title: "Export as CSV",
  status: "in_sprint",
  description: "People want their rows.",
  acceptance_criteria: "- [ ] Opens in a spreadsheet",
};

it("GET /api/products/:id/agent-context returns the product, active sprint, next story and open ideas", async () => {
  const idea = await createIdea(actor, { product_id: product.id, title: "Charts" });
  expect(await context(product.id)).toEqual({
    product: {
      id: product.id,
      code: product.code,
      name: "Ledger",
      description: "Keeps accounts.",
      repo_url: "https://example.com/ledger",
      definition_of_done: "Reviewed and released",
    },
    active_sprint: { id: sprint.id, sprint_goal: "Exports work", status: "ACTIVE" },
    next_story: { ...theStory, priority: 3, tasks: [planned, unplanned] },
    open_ideas: [
      { id: idea.id, code: "IDEA-001", title: "Charts", description: "", status: "draft", created_at: timestamp },
    ],
  });
});

it("GET /api/products/:id/next-story returns the story without its priority", async () => {
  const answer = await (await nextStory(product.id)).json();
  expect(answer).toEqual({ ...theStory, tasks: [planned, unplanned] });
});

it("GET /api/products/:id/backlog returns PBIs, stories by PBI and tasks by story", async () => {
  const made = { product_id: product.id, created_at: timestamp, version: expect.any(Number) };
  expect(await wholeBacklog(product.id)).toEqual({
    product: expect.objectContaining({ id: product.id, name: "Ledger" }),
    pbis: [
      {
        ...made,
        id: pbi.id,
        code: "PBI-1",
        title: "Exports",
        description: "",
        priority: 3,
        sort_order: expect.any(Number),
        status: "ready",
        pr_url: null,
        pr_merged_at: null,
      },
    ],
    storiesByPbi: {
      [pbi.id]: [
        { ...made, ...theStory, pbi_id: pbi.id, priority: 3, sort_order: 1, sprint_id: sprint.id, assignee_id: null },
      ],
    },
    tasksByStory: {
      [story.id]: [
        {
          ...made,
          ...firstTask,
          story_id: story.id,
          repo_url: null,
          verify_only: false,
          verify_required: "ALIGNED_OR_PARTIAL",
        },
        expect.objectContaining({ id: secondTask.id, code: "T-2" }),
      ],
    },
  });
});

it("GET /api/sprints/:id/tasks returns tasks with the id and code of their story", async () => {
  expect(await (await tasksOf(sprint.id)).json()).toEqual([
    { ...planned, story_id: story.id, story_code: "ST-001" },
    expect.objectContaining({ code: "T-2", implementation_plan: null }),
  ]);
});

it("Agent context has null for an active sprint or next story that does not exist", async () => {
  const empty = await newProduct();
  const none = { active_sprint: null, next_story: null, open_ideas: [] };
  expect(await context(empty.id)).toMatchObject(none);
  const { id } = await seedActiveSprint(actor, empty.id, []);
  expect(await context(empty.id)).toMatchObject({ active_sprint: { id }, next_story: null });
});

it("Agent context has the caller's 50 oldest open ideas of the product, linked ones included", async () => {
  const { id: product_id } = await newProduct();
  const linked = await createIdea(actor, { product_id: product.id, title: "linked" });
  await linkIdeaProduct(actor, { idea_id: linked.id, product_id });
  const promoted = await createIdea(actor, { product_id, title: "promoted" });
  await promoteIdea(actor, { idea_id: promoted.id });
  const other = await t.createUser();
  await t.query`update ideas set created_at = now() - interval '1 day' where id = any(${[linked.id, promoted.id]})`;
  await t.query`insert into ideas (user_id, product_id, code, title, status, created_at)
      select ${owner.id}, ${product_id}, 'IDEA-' || (500 + n), 'idea ' || n, 'DRAFT', now() - make_interval(mins => n)
        from generate_series(1, 60) n`;
  await t.query`update ideas set archived_at = now() where product_id = ${product_id}
      and code in ('IDEA-560', 'IDEA-559')`;
  await t.query`insert into ideas (user_id, product_id, code, title)
      values (${other.id}, ${product_id}, 'IDEA-501', 'not mine')`;
  const { open_ideas: ideas } = await context(product_id);
  expect(ideas).toHaveLength(50);
  expect(ideas.slice(0, 2)).toMatchObject([{ title: "linked" }, { title: "idea 58" }]);
  expect(ideas.at(-1).title).toBe("idea 10");
});

it("Agent context takes exactly one round trip to the database", async () => {
  const calls: string[] = [];
  const { callAs } = t.database;
  t.database.callAs = (credential, operation, values) => {
    calls.push(operation);
    return callAs(credential, operation, values);
  };
  await context(product.id);
  t.database.callAs = callAs;
  expect(calls).toEqual(["get_agent_context"]);
});

it("The next story is the one with the lowest sort_order, then the oldest, and never done or failed", async () => {
  const { id } = await newProduct();
  const parent = await create(actor, "create_pbi", { p_product_id: id, p_title: "P" });
  const late = await addStory(parent.id, "ST-9", 1);
  const first = await addStory(parent.id, "ST-2", 5);
  const twin = await addStory(parent.id, "X-2", 1);
  await seedActiveSprint(actor, id, [late.id, twin.id, first.id]);
  const next = async () => (await (await nextStory(id)).json()).code;
  for (const [{ code, id: p_story_id }, status] of [
    [first, "DONE"],
    [twin, "FAILED"],
  ] as const) {
    expect(await next()).toBe(code);
    const only = await create(actor, "create_task", { p_story_id, p_title: "t" });
    await t.query`update tasks set status = ${status} where id = ${only.id}`;
  }
  expect(await next()).toBe("ST-9");
});

it("The next story is 404 without an active sprint or an open story, each with its own message", async () => {
  const { id } = await newProduct();
  const noSprint = await expectRefusal(await nextStory(id), 404);
  await seedActiveSprint(actor, id, []);
  expect(await expectRefusal(await nextStory(id), 404)).not.toBe(noSprint);
});

it("Tasks of a sprint come in the order of stories, then of tasks: 10 by default, 50 at most", async () => {
  const { id: product_id } = await newProduct();
  const parent = await create(actor, "create_pbi", { p_product_id: product_id, p_title: "P" });
  const [second, first] = [await addStory(parent.id, "ST-20"), await addStory(parent.id, "ST-3")];
  const { id } = await seedActiveSprint(actor, product_id, [second.id, first.id]);
  await t.query`insert into tasks (product_id, story_id, code, title, priority)
      select ${product_id}, case when n % 2 = 0 then ${second.id}::uuid else ${first.id}::uuid end, 'T-' || (61 - n), 't', n from generate_series(1, 60) n`;
  const rows: { story_code: string; sort_order: number }[] = await (await tasksOf(id, "?limit=50")).json();
  expect(rows).toHaveLength(50);
  const place = (row: (typeof rows)[number]) => (row.story_code === "ST-3" ? 0 : 1_000) + row.sort_order;
  expect(rows).toEqual(rows.toSorted((one, other) => place(one) - place(other)));
  expect(rows[0]?.story_code).toBe("ST-3");
  expect(await (await tasksOf(id)).json()).toHaveLength(10);
  expect(await (await tasksOf(id, "?limit=1")).json()).toHaveLength(1);
});

it.each(["0", "-1", "51", "abc", "1e9", "1.5", "%2B5", "+5", "%205", "", "1".repeat(30), "NaN"])(
  "Tasks of a sprint with limit=%s are refused with 422",
  async (limit) => {
    await expectRefusal(await tasksOf(sprint.id, `?limit=${limit}`), 422);
  },
);

it("A14: The first of repeated limit keys counts, and limit[] is ignored", async () => {
  expect(await (await tasksOf(sprint.id, "?limit=1&limit=abc")).json()).toHaveLength(1);
  await expectRefusal(await tasksOf(sprint.id, "?limit=abc&limit=1"), 422);
  expect((await tasksOf(sprint.id, "?limit[]=1&__proto__=2")).status).toBe(200);
});

it("A request for sprint tasks is checked for its credential, then its limit, then its sprint", async () => {
  await expectRefusal(await app.request(`/api/sprints/${sprint.id}/tasks?limit=0`), 401);
  await expectRefusal(await tasksOf("00000000-0000-4000-8000-000000000000", "?limit=0"), 422);
});

it("The backlog has an empty array for a PBI without stories, and empty maps for an empty product", async () => {
  const { id } = await newProduct();
  expect(await wholeBacklog(id)).toMatchObject({ pbis: [], storiesByPbi: {}, tasksByStory: {} });
  const later = await create(actor, "create_pbi", { p_product_id: id, p_title: "Later" });
  expect(await wholeBacklog(id)).toMatchObject({ storiesByPbi: { [later.id]: [] } });
});

it("The backlog leaves out stories in triage and their tasks", async () => {
  const { id } = await newProduct({ p_agent_items: "triage" });
  const token_hash = createHash("sha256").update(token).digest("hex");
  const agent = { database: t.database, credential: { token_hash } };
  const parent = await create(agent, "create_pbi", { p_product_id: id, p_title: "PBI" });
  const later = await create(agent, "create_story", { p_pbi_id: parent.id, p_title: "Later" });
  await create(agent, "create_task", { p_story_id: later.id, p_title: "Not yet" });
  const { storiesByPbi, tasksByStory } = await wholeBacklog(id);
  expect([storiesByPbi, tasksByStory]).toEqual([{ [parent.id]: [] }, {}]);
});

it("The backlog is compressed for clients that accept gzip", async () => {
  await t.query`update stories set description = ${"A long text. ".repeat(2_000)} where id = ${story.id}`;
  const [plain, packed] = await Promise.all(
    ["identity", "gzip"].map((encoding) =>
      app.request(`/api/products/${product.id}/backlog`, {
        headers: { ...bearer(token), "accept-encoding": encoding },
      }),
    ),
  );
  expect(plain?.headers.get("content-encoding")).toBeNull();
  expect(packed?.headers.get("content-encoding")).toBe("gzip");
  expect(packed?.headers.get("vary")).toBe("Accept-Encoding");
  expect(await packed?.text()).toBe(await plain?.text());
});

it("GET /api/pbis/:id/stories has its stories by sort_order, regardless of their priority", async () => {
  await addStory(pbi.id, "LAST", 1);
  await addStory(pbi.id, "ST-1000", 1);
  await addStory(pbi.id, "ST-20", 9);
  const stories = await read(`/api/pbis/${pbi.id}/stories`);
  expect(stories).toMatchObject([
    { code: "ST-001", sort_order: 1, status: "in_sprint" },
    { code: "ST-20", sort_order: 20, status: "open" },
    { code: "ST-1000", sort_order: 1000 },
    { code: "LAST", sort_order: 9007199254740991 },
  ]);
});

it("GET /api/stories/:id/tasks has its tasks by sort_order, without the detail fields", async () => {
  await create(actor, "create_task", { p_story_id: story.id, p_title: "first", p_code: "A-0" });
  await t.query`update tasks set status = 'IN_PROGRESS' where id = ${task.id}`;
  const tasks: Record<string, unknown>[] = await read(`/api/stories/${story.id}/tasks`);
  expect(tasks.map(({ code, status }) => [code, status])).toEqual([
    ["A-0", "todo"],
    ["T-1", "in_progress"],
    ["T-2", "todo"],
  ]);
  for (const one of tasks) {
    expect(one).not.toHaveProperty("_detail");
    expect(one).not.toHaveProperty("implementation_plan");
  }
});
