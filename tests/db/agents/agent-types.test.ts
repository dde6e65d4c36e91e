import { describe, expect, it } from "vitest";
import { createIdea } from "~/nouns/ideas/operations.server";
import { agentJobKinds, agentJobStatuses, taskExecutionStatuses, verifyResults } from "~/wire/agent-jobs/contract";
import { sprintRunStatuses } from "~/wire/sprint-runs/contract";
import { ideaStatuses, pbiStatuses, sprintStatuses, storyStatuses, taskStatuses } from "~/wire/status";
import { createTestDatabase } from "../../setup/database";

const t = await createTestDatabase();

it.each([
  ["agent_job_status", agentJobStatuses, "QUEUED CLAIMED RUNNING DONE FAILED CANCELLED SKIPPED"],
  ["agent_job_kind", agentJobKinds, "TASK_IMPLEMENTATION PLAN_CHAT SPRINT_IMPLEMENTATION"],
  ["verify_result", verifyResults, "ALIGNED PARTIAL EMPTY DIVERGENT"],
  ["sprint_run_status", sprintRunStatuses, "QUEUED RUNNING PAUSED DONE FAILED CANCELLED"],
  ["task_execution_status", taskExecutionStatuses, "PENDING RUNNING DONE FAILED SKIPPED"],
])("The contract and the database have the same values of %s", async (type, inContract, words) => {
  const { rows } = await t.sql.query<{ value: string }>(
    `select unnest(enum_range(null::public.${type}))::text as value`,
  );
  const values = words.split(" ").sort();
  expect(rows.map(({ value }) => value).sort()).toEqual(values);
  expect(inContract.map((value) => value.toUpperCase()).sort()).toEqual(values);
});

it.each([
  ["task", taskStatuses],
  ["story", storyStatuses],
  ["pbi", pbiStatuses],
  ["sprint", sprintStatuses],
  ["idea", ideaStatuses],
] as const)("The statuses of a %s are those of the database, in its order", async (entity, statuses) => {
  const { rows } = await t.sql.query(
    `select replace(lower(s::text), 'to_do', 'todo') as status from unnest(enum_range(null::public.${entity}_status)) s`,
  );
  expect(rows.map(({ status }) => status)).toEqual([...statuses]);
});

describe("a job", () => {
  async function insert(kind: string, has: { task?: boolean; idea?: boolean; run?: boolean }) {
    const { world, run, task } = await t.holdJob();
    const idea = await createIdea(world.actor, { product_id: world.product.id, title: "Idea" });
    return t.query`
      insert into public.agent_jobs (product_id, kind, task_id, idea_id, sprint_run_id, lane_id)
      values (${world.product.id}, ${kind}, ${has.task ? task.id : null}, ${has.idea ? idea.id : null}, ${has.run ? run.id : null}, gen_random_uuid()) returning retry_count`;
  }

  it.each([
    ["TASK_IMPLEMENTATION", { task: true, run: true }],
    ["SPRINT_IMPLEMENTATION", { task: true, run: true }],
    ["PLAN_CHAT", { idea: true }],
  ])("A %s job that names what it is about begins without a retry", async (kind, has) => {
    expect(await insert(kind, has)).toEqual([{ retry_count: 0 }]);
  });

  it.each([
    ["TASK_IMPLEMENTATION", { run: true }],
    ["TASK_IMPLEMENTATION", { task: true, idea: true, run: true }],
    ["TASK_IMPLEMENTATION", { idea: true, run: true }],
    ["SPRINT_IMPLEMENTATION", { run: true }],
    ["SPRINT_IMPLEMENTATION", { task: true }],
    ["PLAN_CHAT", { task: true, run: true }],
    ["PLAN_CHAT", {}],
  ])("A %s job that names %j is refused", async (kind, has) => {
    await expect(insert(kind, has)).rejects.toThrow(/agent_jobs_(task_or_idea|kind_target)|Start a sprint run instead/);
  });

  it("A job has every field of the contract in its form", async () => {
    const { job, report } = await t.holdJob();
    const text = expect.any(String);
    const timestamp = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d.*(Z|\+00:00)$/);
    const empty = `idea_id pushed_at pr_url verify_result base_sha head_sha model_id finished_at
      input_tokens output_tokens cache_read_tokens cache_write_tokens`.split(/\s+/);
    const kept = { id: text, task_id: text, sprint_run_id: text, plan_snapshot: text };
    expect(await report({ status: "running" })).toMatchObject({
      ...Object.fromEntries(empty.map((name) => [name, null])),
      ...kept,
      kind: "TASK_IMPLEMENTATION",
      status: "running",
      lease_until: timestamp,
      retry_count: 0,
    });
    const usage = { model_id: "m-1", input_tokens: 1, output_tokens: 2, cache_read_tokens: 3, cache_write_tokens: 4 };
    const end = { status: "done", verify_result: "ALIGNED", base_sha: "a", head_sha: "b", ...usage } as const;
    const pr_url = "https://example.com/pull/1";
    expect(await report({ ...end, pr_url, pushed_at: new Date().toISOString() })).toMatchObject({
      ...kept,
      ...end,
      pr_url,
      pushed_at: timestamp,
      finished_at: timestamp,
      lease_until: null,
      retry_count: 0,
    });
    expect(await t.columnOf("agent_jobs", job.id, "retry_count")).toBe(0);
  });
});
