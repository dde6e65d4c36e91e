import { expect, it } from "vitest";
import { connectClient } from "./clients";
import { connectBoth, createProduct, idOf, ok, openStage, startRun } from "./stage";

const whole = await openStage();
const { t, app } = whole;

async function someone(code?: string) {
  const ada = await t.createUser();
  const stage = { ...whole, ada, token: await t.createToken(ada) };
  if (code) await createProduct(stage, code, { strategy: "STORY" });
  return { ...(await connectBoth(stage)), ada };
}

// T-1 and ST-001 exist in both.
await createProduct(whole, "ONE", { strategy: "SPRINT_BATCH" });
await createProduct(whole, "TWO", { strategy: "SPRINT_BATCH" });
const both = await connectBoth(whole);

it("a batch is verified and reported by codes: they mean the product of its job", async () => {
  const { agent, worker } = both;
  await startRun(agent, "TWO");
  const { job } = ok(await worker.call("wait_for_job", { worker: "w", product_id: "TWO" }));
  const held = { job_id: idOf(job), attempt: 1, task_id: "T-1" };
  ok(await worker.call("update_job_status", { ...held, task_id: undefined, status: "running" }));
  ok(await worker.call("update_task_execution", { ...held, status: "running" }));
  const verification = { ...held, verify_result: "aligned", product_id: "TWO" };
  expect(ok(await worker.call("verify_sprint_task", verification))).toMatchObject({ task_code: "T-1", passes: true });
  const asked = ok(await worker.call("ask_user_question", { ...held, question: "Left or right?" }));
  expect(asked).toMatchObject({ product_code: "TWO", task_code: "T-1" });
  ok(await worker.call("update_task_execution", { ...held, status: "done" }));
});

it("A question without a job has to name the product when its codes are in several", async () => {
  const { agent } = both;
  const wish = { story_id: "ST-001", question: "Which one?" };
  expect(await agent.call("ask_user_question", wish)).toMatchObject({
    isError: true,
    result: { code: 422, candidates: [{}, {}] },
  });
  const asked = ok(await agent.call("ask_user_question", { ...wish, product_id: "ONE" }));
  expect(asked).toMatchObject({ product_code: "ONE", story_code: "ST-001" });
});

it("cancel_job says that it is for queued jobs", async () => {
  const all = await connectClient(app, whole.token, "2026-07-28", "/mcp/all");
  const tools = await all.listTools();
  await all.close();
  const { description } = tools.find(({ name }) => name === "cancel_job") ?? {};
  expect(description).toMatch(/a queued job/);
});

it("an agent comments on PBIs, stories and tasks by their codes, and reads what was said", async () => {
  const { agent, ada } = await someone("ONE");
  const comment = { kind: "task", id: "T-1", body: "The plan misses **step 3**." };
  const said = ok(await agent.call("add_comment", comment));
  expect(said).toMatchObject({ author: ada.username, body: comment.body, edited_at: null });
  expect(ok(await agent.call("list_comments", { kind: "task", id: "T-1" }))).toEqual({
    comments: [said],
    next_cursor: null,
  });
  for (const [kind, id] of [
    ["pbi", "PBI-1"],
    ["story", "ST-001"],
  ]) {
    ok(await agent.call("add_comment", { kind, id, body: "Here too." }));
    expect(ok(await agent.call("list_comments", { kind, id }))).toMatchObject({ comments: [{ body: "Here too." }] });
  }
  expect(ok(await agent.call("get_context", { product_id: "ONE" }))).toMatchObject({
    next_story: { comments: [{ on: "ST-001" }, { on: "T-1", body: comment.body }] },
  });
  const refused = await agent.call("add_comment", { ...comment, body: "  " });
  expect(refused).toMatchObject({ isError: true, result: { code: 422 } });
});

it("a stranger's agent neither reads nor writes what is said in a product, by id or code", async () => {
  const { agent } = await someone("TWO");
  const task = ok(await agent.call("get_task", { task_id: "T-1", product_id: "TWO" }));
  const place = { kind: "task", id: task.id };
  ok(await agent.call("add_comment", { ...place, body: "A secret." }));
  const eve = await t.createUser();
  const other = await connectClient(app, await t.createToken(eve));
  for (const input of [place, { kind: "task", id: "T-1" }]) {
    for (const tool of ["list_comments", "add_comment"]) {
      const answer = await other.call(tool, { ...input, body: "Hello?" });
      expect(answer).toMatchObject({ isError: true });
      expect(JSON.stringify(answer)).not.toContain("secret");
    }
  }
  const context = await other.call("get_context", { product_id: "TWO" });
  expect(context).toMatchObject({ isError: true });
  expect(JSON.stringify(context)).not.toContain("secret");
});

it("an agent makes labels and gives them to new and known stories and tasks by name", async () => {
  const { agent } = await someone("ONE");
  const bug = ok(await agent.call("create_label", { product_id: "ONE", name: "bug" }));
  expect(ok(await agent.call("list_labels", { product_id: "ONE" }))).toEqual({ labels: [bug] });
  const story = await agent.call("create_story", { pbi_id: "PBI-1", title: "New", labels: ["Bug"] });
  expect(ok(story)).toMatchObject({ labels: [bug] });
  const task = { story_id: "ST-001", title: "Mend", labels: ["bug"] };
  expect(ok(await agent.call("create_task", task))).toMatchObject({ labels: [bug] });
  expect(ok(await agent.call("set_labels", { task_id: "T-1", labels: ["bug"] }))).toMatchObject({ labels: [bug] });
  expect(ok(await agent.call("get_task", { task_id: "T-1" }))).toMatchObject({ labels: [bug] });
  ok(await agent.call("set_labels", { task_id: "T-1", labels: [] }));
  expect(ok(await agent.call("get_task", { task_id: "T-1" }))).not.toHaveProperty("labels");
  expect(await agent.call("set_labels", { labels: [] })).toMatchObject({ isError: true });
  expect(await agent.call("create_task", { ...task, labels: ["bgu"] })).toMatchObject({
    isError: true,
    result: { code: 422, error: expect.stringContaining('"bgu"') },
  });
});

it("an agent says who does a task, a story or a product, each field alone, and removes it", async () => {
  const { agent } = await someone("ONE");
  const set = async (input: object) => ok(await agent.call("set_agent", { ...input }));
  const task = async () => ok(await agent.call("get_task", { task_id: "T-1" }));
  await set({ task_id: "T-1", agent: "codex", effort: "high" });
  expect(await task()).toMatchObject({ agent: "codex", model: null, effort: "high" });
  await set({ task_id: "T-1", agent: null });
  expect(await task()).toMatchObject({ agent: null, effort: "high" });
  expect(await set({ story_id: "ST-001", model: "opus" })).toMatchObject({ model: "opus" });
  expect(await set({ product_id: "ONE", agent: "claude" })).toMatchObject({ agent: "claude" });
});

it.each([
  [{ agent: "codex" }, "Give task_id, story_id or product_id."],
  [{ task_id: "T-1", story_id: "ST-001", agent: "codex" }, "Give either task_id or story_id."],
  [{ task_id: "T-1" }, "Give agent, model or effort."],
])("set_agent refuses %j with what to give", async (input, words) => {
  const { agent } = both;
  expect(await agent.call("set_agent", input)).toMatchObject({
    isError: true,
    result: { code: 422, issues: [{ message: words }] },
  });
});

it("an agent changes only the version of a task and an idea that it has read", async () => {
  const { agent, ada } = await someone("VER");
  const version = Number(ok(await agent.call("get_task", { task_id: "T-1" })).version);
  const plan = { task_id: "T-1", expected_version: version };
  ok(await agent.call("update_task_plan", { ...plan, implementation_plan: "First" }));
  expect(await agent.call("update_task_plan", { ...plan, implementation_plan: "Second" })).toMatchObject({
    isError: true,
    result: {
      code: 412,
      current: { implementation_plan: "First", version: version + 1 },
      changed_fields: ["implementation_plan"],
      changed_by: ada.username,
    },
  });
  ok(await agent.call("update_task_status", { ...plan, expected_version: version + 1, status: "done" }));
  const stale = { ...plan, expected_version: version + 1, status: "todo" };
  expect(await agent.call("update_task_status", stale)).toMatchObject({ result: { code: 412 } });

  const idea = ok(await agent.call("create_idea", { product_id: "VER", title: "An idea" }));
  const change = { idea_id: idea.id, expected_version: idea.version };
  ok(await agent.call("update_idea", { ...change, title: "A better idea" }));
  expect(await agent.call("update_idea", { ...change, title: "Another" })).toMatchObject({
    result: { code: 412, current: { title: "A better idea" } },
  });
});

async function hold(code: string) {
  const { agent, worker } = await someone(code);
  await startRun(agent, code);
  const { job } = ok(await worker.call("wait_for_job", { worker: "one", product_id: code }));
  const held = { job_id: idOf(job), attempt: 1 };
  return (name: string, values: object) => worker.call(name, { ...held, ...values });
}

const refusal = (path: string, name: string) => ({
  isError: true,
  result: { code: 422, issues: [{ path, message: `has unknown fields: ${name}` }] },
});

it("An unknown field in a usage report is refused and named, and its seq is still to be had", async () => {
  const call = await hold("LEDGER");
  const report = (event: object) => call("report_job_usage", { events: [{ seq: 1, ...event }] });
  expect(await report({ inputTokens: 300 })).toMatchObject(refusal("events.0", "inputTokens"));
  expect(await call("report_job_usage", { output: 7 })).toMatchObject(refusal("", "output"));
  expect(ok(await report({ input_tokens: 300 }))).toMatchObject({ input_tokens: 300 });
});

it("An unknown field in what a heartbeat or a job's report tells is refused and named", async () => {
  const call = await hold("TOLD");
  const beat = (usage: object) => call("job_heartbeat", { usage });
  expect(await beat({ models: [], since: 1 })).toMatchObject(refusal("usage", "since"));
  const model = { model_id: "m", tokens: 3 };
  expect(await beat({ models: [model] })).toMatchObject(refusal("usage.models.0", "tokens"));
  const evidence = [{ criterion: "0".repeat(12), passed: true }];
  const report = await call("update_job_status", { status: "running", evidence });
  expect(report).toMatchObject(refusal("evidence.0", "passed"));
});

it("Tool arguments sent as text count as what they say where there is no doubt, and are checked as that", async () => {
  const { agent } = await someone("TEXT");
  const made = { story_id: "ST-001", title: "12", priority: "2", blocked_by: '["T-1"]' };
  const task = ok(await agent.call("create_task", { ...made, verify_only: "true" }));
  expect(task).toMatchObject({ title: "12", priority: 2, verify_only: true });
  expect(await agent.call("search", { query: "12", limit: "500" })).toMatchObject({
    result: { code: 422, issues: [{ path: "limit", message: "must be at most 50" }] },
  });
  expect(await agent.call("create_task", { ...made, priority: "soon" })).toMatchObject({
    result: { code: 422, issues: [{ path: "priority", message: "must be a number" }] },
  });
});

it("Arguments that a tool does not have are named", async () => {
  const { agent } = await someone("MORE");
  const listed = ok(await agent.call("list_products", { limit: 5, sort: "name" }));
  expect(listed).toMatchObject({ ignored_arguments: ["limit", "sort"] });
  const refused = await agent.call("search", { words: "greeting" });
  expect(refused.result.issues).toContainEqual({ path: "", message: "has unknown fields: words" });
  expect(refused.text).not.toContain("hint");
});

it("A refusal names a code of another kind, and the one of several that is missing", async () => {
  const { agent } = await someone("KIND");
  expect(await agent.call("get_sprint_context", { sprint_id: "T-1" })).toMatchObject({
    result: { code: 404, error: "No such sprint: T-1 is a task." },
  });
  const product_id = "KIND";
  expect(await agent.call("start_run", { task_ids: ["T-1", "T-77"], product_id })).toMatchObject({
    result: { code: 404, error: expect.stringContaining("T-77") },
  });
});
