import { expect, it } from "vitest";
import { openApp } from "../setup/app";
import { connectClient } from "./clients";

const { t, app } = await openApp();
const adaToken = await t.createToken(await t.createUser({ username: "ada" }));
const demoToken = await t.createToken(await t.createUser({ username: "demo", demo: true }));

const names = `health list_products get_context get_sprint_context get_task search
  create_product create_pbi create_story create_task list_labels create_label set_agent set_labels add_comment list_comments add_dependency remove_dependency list_ready create_sprint add_story_to_sprint start_sprint
  update_task_status update_task_plan log_implementation log_test_result log_commit
  ask_user_question get_question_answer list_open_questions cancel_question
  start_run start_sprint_run get_sprint_run pause_sprint_run resume_sprint_run cancel_sprint_run resume_sprint
  wait_for_job job_heartbeat update_job_status report_job_usage verify_task_against_plan
  verify_sprint_task update_task_execution check_queue_empty worker_heartbeat cancel_job
  why_not_moving get_budgets get_costs set_pbi_pr mark_pbi_pr_merged create_idea update_idea promote_idea
  answer_user_question list_open_user_questions`.split(/\s+/);

type Hints = NonNullable<Awaited<ReturnType<typeof toolsOf>>[number]["annotations"]>;

type Fields = Record<string, unknown>;
const isFields = (value: unknown): value is Fields => typeof value === "object" && value !== null;
const propertiesOf = (schema: object): unknown => Object.entries(schema).find(([key]) => key === "properties")?.[1];
const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

async function toolsOf(token: string, path = "/mcp") {
  const client = await connectClient(app, token, "2026-07-28", path);
  const tools = await client.listTools();
  await client.close();
  return tools;
}

it("The tool list at /mcp names at most 25 tools, and the others are answered too", async () => {
  const tools = await toolsOf(adaToken);
  expect(tools.length).toBeLessThanOrEqual(25);
  expect(tools.map(({ name }) => name)).toContain("cancel_question");
  expect(tools.map(({ name }) => name)).not.toContain("health");
  const client = await connectClient(app, adaToken);
  expect(await client.call("health")).toMatchObject({ isError: false });
  await client.close();
});

it("The tool list at /mcp/all names every tool of the design", async () => {
  const tools = await toolsOf(adaToken, "/mcp/all");
  expect(tools.map(({ name }) => name).sort()).toEqual([...names].sort());
  for (const { description, inputSchema } of tools) {
    expect(description).toMatch(/\S{3}/);
    expect(inputSchema).toMatchObject({ type: "object" });
  }
});

it("Tool schemas keep to forms that strict models take: one type each, and no references", async () => {
  const faults: string[] = [];
  const walk = (schema: Fields, path: string) => {
    const alternatives = listOf(schema.anyOf);
    for (const key of ["$schema", "$ref", "$defs", "oneOf", "allOf", "not", "pattern"])
      if (key in schema) faults.push(`${path} has ${key}`);
    if (alternatives.length === 0 && typeof schema.type !== "string") faults.push(`${path} has no type`);
    if (schema.type === "array" && !isFields(schema.items)) faults.push(`${path} has no items`);
    for (const [name, field] of Object.entries(Object(schema.properties)))
      if (isFields(field)) walk(field, `${path}.${name}`);
    if (isFields(schema.items)) walk(schema.items, `${path}[]`);
    for (const one of alternatives) if (isFields(one)) walk(one, `${path}|`);
  };
  for (const { name, inputSchema } of await toolsOf(adaToken, "/mcp/all")) walk({ ...inputSchema }, name);
  expect(faults).toEqual([]);
});

it("The tool list at /mcp costs at most 16,000 bytes and explains each argument a model would guess", async () => {
  const tools = await toolsOf(adaToken);
  expect(new TextEncoder().encode(JSON.stringify(tools)).length).toBeLessThanOrEqual(16_000);
  const silent = tools.flatMap(({ name, inputSchema }) =>
    Object.entries(Object(propertiesOf(inputSchema)))
      .filter(([, field]) => isFields(field) && field.description === undefined)
      .map(([argument]) => `${name}.${argument}`),
  );
  const guessed =
    /\.(recommended_option|priority|reach|on_expiry|escalate_to|expires_in_seconds|metadata|verify_required|requires_opus|strategy|blocked_by)$/;
  expect(silent.filter((argument) => guessed.test(argument))).toEqual([]);
});

it("The tool list at /mcp/worker offers at most 12 tools, within 10.5 KB of JSON", async () => {
  const tools = await toolsOf(adaToken, "/mcp/worker");
  expect(tools.length).toBeLessThanOrEqual(12);
  const bytes = new TextEncoder().encode(JSON.stringify(tools)).length;
  expect(bytes).toBeLessThanOrEqual(10.5 * 1024);
  expect(names).toEqual(expect.arrayContaining(tools.map(({ name }) => name)));
});

it("Every tool says what it does to the backlog, so that clients that cannot ask a person call it", async () => {
  const tools = await toolsOf(adaToken, "/mcp/all");
  const named = (test: (hints: Hints) => boolean) =>
    tools.filter(({ annotations = {} }) => test(annotations)).map(({ name }) => name);
  expect(named((hints) => hints.openWorldHint !== false)).toEqual([]);
  expect(named((hints) => !hints.readOnlyHint && hints.destructiveHint === undefined)).toEqual([]);
  // What they end or move on, no other call brings back.
  expect(named(({ destructiveHint }) => destructiveHint === true).sort()).toEqual(
    "cancel_job cancel_question cancel_sprint_run update_idea".split(" "),
  );
  const repeatable = named(({ idempotentHint }) => idempotentHint === true);
  expect(repeatable).toEqual(expect.arrayContaining(["job_heartbeat", "update_job_status", "report_job_usage"]));
  expect(repeatable.filter((name) => /^(create|log|ask|answer|wait)_/.test(name))).toEqual([]);
});

it("Tool schemas name the words and forms that an argument may have", async () => {
  const tools = await toolsOf(adaToken, "/mcp/worker");
  for (const name of ["update_job_status", "verify_task_against_plan", "verify_sprint_task"]) {
    expect(tools.find((tool) => tool.name === name)?.inputSchema).toMatchObject({
      properties: { verify_result: { enum: ["ALIGNED", "PARTIAL", "EMPTY", "DIVERGENT"] } },
    });
  }
  expect(tools.find(({ name }) => name === "update_job_status")?.inputSchema).toMatchObject({
    properties: { resets_at: { format: "date-time", description: expect.stringMatching(/T.*Z$/) } },
  });
});

it("Tool schemas name the fields of what a job has used and proven", async () => {
  const tools = await toolsOf(adaToken, "/mcp/worker");
  const schemaOf = (name: string) => tools.find((tool) => tool.name === name)?.inputSchema ?? {};
  const named = (...names: string[]) => Object.fromEntries(names.map((name) => [name, expect.any(Object)]));
  const counts = ["input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens"];
  expect(schemaOf("report_job_usage")).toMatchObject({
    properties: { events: { items: { properties: named("seq", "model_id", "cost", ...counts) } } },
  });
  expect(schemaOf("job_heartbeat")).toMatchObject({
    properties: { usage: { properties: named("after_seq", "models") } },
  });
  expect(schemaOf("update_job_status")).toMatchObject({
    properties: { evidence: { items: { properties: named("criterion", "command", "exit_code", "excerpt") } } },
  });
});

it("Instructions at /mcp/worker tell a worker how to work: branch, commit, verification, when to end", async () => {
  const client = await connectClient(app, adaToken, "2026-07-28", "/mcp/worker");
  const text = client.instructions() ?? "";
  await client.close();
  for (const word of ["branch", "commit", "Push", "Before done", "409", "job is null", "empty", "end"]) {
    expect(text).toContain(word);
  }
});

it("The tool list follows what the token may do: a demo account sees tools that read and no others", async () => {
  const tools = (await toolsOf(demoToken, "/mcp/all")).map(({ name }) => name);
  expect(tools.sort()).toEqual(
    `check_queue_empty get_budgets get_context get_costs get_question_answer get_sprint_context get_sprint_run get_task
       health list_comments list_labels list_open_questions list_open_user_questions list_products list_ready search why_not_moving`.split(
      /\s+/,
    ),
  );
});

it("D5: a demo account is refused every tool that writes, with 403", async () => {
  const client = await connectClient(app, demoToken, "2026-07-28", "/mcp/all");
  const readable = new Set((await client.listTools()).map(({ name }) => name));
  for (const name of names.filter((candidate) => !readable.has(candidate))) {
    const answer = await client.call(name);
    expect(answer, name).toMatchObject({ isError: true, result: { code: 403 } });
  }
  await client.close();
});
