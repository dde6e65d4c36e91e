import { expect, it } from "vitest";
import { openApp } from "../setup/app";
import { bearer } from "../setup/world";
import { connectClient, type ToolAnswer } from "./clients";

const { t, app } = await openApp();
const ada = await t.createUser({ username: "ada" });
const adaToken = await t.createToken(ada);
const strangerToken = await t.createToken(await t.createUser({ username: "stranger" }));

function ok({ isError, result, text }: ToolAnswer): Record<string, unknown> {
  expect(isError, text).toBe(false);
  return result;
}

it.each(["2026-07-28", "sdk 1"] as const)("An agent plans, works and reports by tools alone (%s)", async (line) => {
  const client = await connectClient(app, adaToken, line);
  const code = line === "sdk 1" ? "LOOP1" : "LOOP2";
  const call = async (name: string, values: Record<string, unknown>) => ok(await client.call(name, values));

  await call("create_product", { code, name: "Loop" });
  const pbi = await call("create_pbi", { product_id: code, title: "Greet" });
  expect(pbi).toMatchObject({ code: "PBI-1", status: "ready" });
  const inProduct = { product_id: code };
  const story = await call("create_story", { ...inProduct, pbi_id: "PBI-1", title: "By name" });
  expect(story).toMatchObject({ code: "ST-001", status: "open", pbi_id: pbi.id });
  for (const title of ["Write", "Check"]) {
    await call("create_task", { ...inProduct, story_id: "ST-001", title });
  }
  const sprint = await call("create_sprint", { product_id: code, sprint_goal: "Greetings" });
  expect(sprint).toMatchObject({ code: "SP-1", status: "planned" });
  await call("add_story_to_sprint", { ...inProduct, sprint_id: "SP-1", story_id: "ST-001" });
  await call("start_sprint", { ...inProduct, sprint_id: "SP-1" });

  const context = await call("get_context", { product_id: code });
  expect(context).toMatchObject({
    product: { code },
    active_sprint: { id: sprint.id, status: "ACTIVE" },
    next_story: { code: "ST-001", status: "in_sprint", tasks: [{ code: "T-1", status: "todo" }, {}] },
    open_ideas: [],
  });

  await call("update_task_plan", { ...inProduct, task_id: "T-1", implementation_plan: "Write it" });
  expect(await call("update_task_status", { ...inProduct, task_id: "T-1", status: "in_progress" })).toMatchObject({
    status: "in_progress",
    implementation_plan: "Write it",
  });
  await call("log_implementation", { ...inProduct, story_id: "ST-001", content: "As planned" });
  await call("log_commit", {
    ...inProduct,
    story_id: "ST-001",
    content: "Greeting",
    commit_hash: "abc123",
    commit_message: "Greet by name",
    metadata: { files: 1 },
  });
  await call("log_test_result", { ...inProduct, story_id: "ST-001", content: "npm test", status: "PASSED" });
  for (const task of ["T-1", "T-2"]) {
    await call("update_task_status", { ...inProduct, task_id: task, status: "done" });
  }
  expect(await call("get_task", { ...inProduct, task_id: "T-2" })).toMatchObject({
    _detail: true,
    status: "done",
    story_id: story.id,
  });
  expect(await call("get_sprint_context", { ...inProduct, sprint_id: "SP-1" })).toMatchObject({
    stories: [{ code: "ST-001", status: "done" }],
    next_cursor: null,
  });
  const found = await call("search", { query: "Check", product_id: code });
  expect(found).toMatchObject({ items: [{ kind: "task", code: "T-2", product_code: code }] });

  const rest = await app.request(`/api/products/${context.product && String(sprint.product_id)}/agent-context`, {
    headers: bearer(adaToken),
  });
  expect(await rest.json()).toEqual(await call("get_context", { product_id: code }));
  await client.close();
});

it("An agent can keep ideas and promote them over the tools", async () => {
  const client = await connectClient(app, adaToken);
  ok(await client.call("create_product", { code: "IDEAS", name: "Ideas" }));
  const idea = ok(await client.call("create_idea", { product_id: "IDEAS", title: "Dark mode" }));
  expect(idea).toMatchObject({ status: "draft", code: expect.stringMatching(/^IDEA-\d{3}$/) });
  const reference = String(idea.code);
  ok(await client.call("update_idea", { idea_id: reference, status: "ready" }));
  const promoted = ok(await client.call("promote_idea", { idea_id: reference }));
  expect(promoted).toMatchObject({ idea: { status: "planned" }, pbi: { title: "Dark mode" } });
  await client.close();
});

it("A long list of products is cut over the tools, and is read on with the cursor", async () => {
  await t.query`insert into public.products (owner_id, code, name)
      select ${ada.id}, 'MANY-' || n, 'Many' from generate_series(1, 60) n`;
  const client = await connectClient(app, adaToken);
  const first = ok(await client.call("list_products"));
  expect(first.products).toHaveLength(50);
  const second = ok(await client.call("list_products", { cursor: first.next_cursor }));
  expect(second).toMatchObject({ next_cursor: null });
  expect(await client.call("list_products", { cursor: "from:x" })).toMatchObject({
    isError: true,
    result: { code: 422, issues: [{ path: "cursor" }] },
  });
  await client.close();
});

it("A tool call with arguments that do not fit is 422, and nothing changes", async () => {
  const client = await connectClient(app, adaToken);
  for (const bad of [
    {},
    { code: "x y", name: "Bad code" },
    { code: "NUL", name: "a\0b" },
    { code: "SURROGATE", name: "a\ud800b" },
    { code: "TYPE", name: 1 },
  ]) {
    const answer = await client.call("create_product", bad);
    expect(answer).toMatchObject({ isError: true, result: { code: 422 } });
    expect(answer.result.issues).not.toHaveLength(0);
    expect(answer.result.hint).toBeUndefined();
    expect(JSON.parse(answer.text)).toEqual(answer.result);
  }
  const rows = await t.query`select from public.products where code in ('NUL', 'TYPE')`;
  expect(rows).toHaveLength(0);
  await client.close();
});

it("A tool call is 404 for what is unknown, 403 for a foreign product, 422 for a status it does not take", async () => {
  const client = await connectClient(app, strangerToken);
  const rows = await t.query`select id from public.tasks limit 1`;
  const unknown = "11111111-1111-4111-8111-111111111111";
  const error = async (name: string, values: Record<string, unknown>) => {
    const answer = await client.call(name, values);
    expect(answer.isError).toBe(true);
    return answer.result;
  };
  expect(await error("get_task", { task_id: unknown })).toMatchObject({ code: 404 });
  expect(await error("get_task", { task_id: "T-999" })).toMatchObject({ code: 404 });
  expect(await error("get_task", { task_id: rows[0].id })).toMatchObject({ code: 403 });
  expect(await error("get_context", { product_id: "LOOP1" })).toMatchObject({ code: 404 });
  expect(await error("update_task_status", { task_id: unknown, status: "failed" })).toMatchObject({ code: 422 });
  await client.close();
});

it("A tool call names the candidates when a code is in several products", async () => {
  const client = await connectClient(app, adaToken);
  const answer = await client.call("get_task", { task_id: "T-1" });
  expect(answer).toMatchObject({ isError: true, result: { code: 422, hint: expect.any(String) } });
  expect(answer.result.candidates).toHaveLength(2);
  expect(await client.call("get_task", { task_id: "T-1", product_id: "LOOP1" })).toMatchObject({ isError: false });
  await client.close();
});

it("A tool call beyond a limit is 429 with retry_after", async () => {
  const client = await connectClient(app, await t.createToken(await t.createUser()));
  for (let n = 1; n <= 5; n++) {
    ok(await client.call("create_product", { code: `P${n}`, name: "Within the limit" }));
  }
  expect(await client.call("create_product", { code: "P6", name: "Beyond" })).toMatchObject({
    isError: true,
    result: { code: 429, retry_after: expect.any(Number) },
  });
  await client.close();
});
