import { expect, it } from "vitest";
import { z } from "zod";
import { connectBoth, createProduct, identified, idOf, listOf, ok, openStage, startRun } from "./stage";

const stage = await openStage();

const batchSchema = identified.extend({ executions: z.array(z.object({ task_id: z.string() })) });

it("A run started by codes without a sprint is read, cancelled and left out of like any other", async () => {
  const { agent } = await connectBoth(stage);
  await createProduct(stage, "ALONE", { tasks: 2 });
  const named = { task_ids: ["T-1"], product_id: "ALONE" };
  const { run } = ok(await agent.call("start_run", named));
  expect(run).toMatchObject({ sprint_id: null, subject: "T-1", branch: "backloom/ST-001" });
  const sprint_run_id = idOf(run);
  expect(await agent.call("start_run", named)).toMatchObject({
    isError: true,
    result: { code: 409, blockers: [{ type: "run_unfinished", task_code: "T-1", sprint_run_id }] },
  });
  const begun = { sprint_id: "SP-1", product_id: "ALONE", leave_out: true };
  expect(ok(await agent.call("start_sprint_run", begun))).toMatchObject({
    jobs_total: 1,
    left_out: [{ task_code: "T-1", type: "task_in_run" }],
  });
  expect(ok(await agent.call("get_sprint_run", { sprint_run_id }))).toMatchObject({
    sprint_id: null,
    jobs: [{ branch: "backloom/ST-001" }],
  });
  expect(ok(await agent.call("cancel_sprint_run", { sprint_run_id }))).toMatchObject({ status: "cancelled" });
});

it("A run goes from the claim over heartbeat, usage and verification to done with the tools", async () => {
  const { agent, worker } = await connectBoth(stage);
  await createProduct(stage, "WHOLE");
  const run = await startRun(agent, "WHOLE");
  const held = { worker: "one", product_id: "WHOLE" };
  const { job } = ok(await worker.call("wait_for_job", held));
  expect(job).toMatchObject({ kind: "TASK_IMPLEMENTATION", plan: "Do it", attempt: 1 });
  const job_id = idOf(job);
  const attempt = { job_id, attempt: 1 };
  expect(ok(await worker.call("update_job_status", { ...attempt, status: "running" }))).toMatchObject({
    status: "running",
    task_status: "in_progress",
  });
  expect(ok(await worker.call("job_heartbeat", attempt))).toMatchObject({ action: "continue" });
  ok(await worker.call("report_job_usage", { ...attempt, model_id: "m", input_tokens: 5 }));
  const verification = { ...attempt, verify_result: "aligned", changed_files: ["a.ts"] };
  expect(ok(await worker.call("verify_task_against_plan", verification))).toMatchObject({
    passes: true,
    report: "done",
  });
  ok(await worker.call("update_job_status", { ...attempt, status: "done" }));
  ok(await worker.call("update_job_status", { ...attempt, status: "done" }));
  expect(ok(await agent.call("get_sprint_run", { sprint_run_id: run.id }))).toMatchObject({
    status: "done",
    counts: { done: 1 },
    jobs: [{ status: "done", verify_result: "ALIGNED", input_tokens: 5 }],
    next_cursor: null,
  });
  expect(ok(await agent.call("check_queue_empty", { product_id: "WHOLE" }))).toMatchObject({ empty: true });
});

it("J3: The report of an attempt that no longer holds the job is refused with a hint", async () => {
  const { agent, worker } = await connectBoth(stage);
  await createProduct(stage, "FENCE");
  await startRun(agent, "FENCE");
  const first = ok(await worker.call("wait_for_job", { worker: "one", product_id: "FENCE" }));
  const job_id = idOf(first.job);
  ok(await worker.call("wait_for_job", { worker: "one", product_id: "FENCE", restarted: true }));
  const late = await worker.call("update_job_status", { job_id, attempt: 1, status: "done", verify_result: "ALIGNED" });
  expect(late).toMatchObject({ isError: true, result: { code: 409, hint: expect.any(String) } });
  expect(ok(await worker.call("job_heartbeat", { job_id, attempt: 1 }))).toMatchObject({ action: "stop" });
});

it("A run can be paused, resumed and cancelled over the tools", async () => {
  const { agent } = await connectBoth(stage);
  await createProduct(stage, "STEER");
  const run = await startRun(agent, "STEER");
  const named = { sprint_run_id: run.id };
  expect(ok(await agent.call("pause_sprint_run", { ...named, reason: "Lunch" }))).toMatchObject({
    status: "paused",
    pause_context: { reason: "Lunch" },
  });
  expect(ok(await agent.call("why_not_moving", { kind: "run", id: run.id }))).toMatchObject({
    moving: false,
    reasons: [{ code: "paused", message: expect.any(String) }, { code: "no_worker" }],
  });
  expect(ok(await agent.call("resume_sprint_run", named))).toMatchObject({ status: "queued" });
  expect(ok(await agent.call("why_not_moving", { kind: "task", id: "T-1", product_id: "STEER" }))).toMatchObject({
    reasons: [{ code: expect.stringMatching(/^[a-z_]+$/) }],
  });
  expect(await agent.call("why_not_moving", { kind: "run", id: "SP-1" })).toMatchObject({
    result: { code: 404, error: expect.stringMatching(/^No such sprint run\. Check the ID/) },
  });
  expect(ok(await agent.call("cancel_sprint_run", named))).toMatchObject({ status: "cancelled" });
  expect(await agent.call("resume_sprint_run", named)).toMatchObject({ isError: true, result: { code: 409 } });
});

it("A run fails with its task, and resume_sprint begins again", async () => {
  const { agent, worker } = await connectBoth(stage);
  await createProduct(stage, "AGAIN", { tasks: 2 });
  await startRun(agent, "AGAIN");
  const { job } = ok(await worker.call("wait_for_job", { worker: "one", product_id: "AGAIN" }));
  const job_id = idOf(job);
  ok(await worker.call("update_job_status", { job_id, attempt: 1, status: "failed", failure_reason: "No" }));
  const again = ok(await agent.call("resume_sprint", { sprint_id: "SP-1", product_id: "AGAIN" }));
  expect(again).toMatchObject({ status: "queued", jobs_total: 2 });
  const run = ok(await agent.call("get_sprint_run", { sprint_run_id: again.id }));
  const [queued] = listOf(run.jobs);
  expect(ok(await agent.call("cancel_job", { job_id: queued }))).toMatchObject({ status: "cancelled" });
});

it("A worker moves the tasks of a batch one by one over the tools", async () => {
  const { agent, worker } = await connectBoth(stage);
  await createProduct(stage, "BATCH", { tasks: 2, strategy: "SPRINT_BATCH" });
  await startRun(agent, "BATCH");
  const { job } = ok(await worker.call("wait_for_job", { worker: "one", product_id: "BATCH" }));
  const payload = batchSchema.parse(job);
  const attempt = { job_id: payload.id, attempt: 1 };
  for (const { task_id } of payload.executions) {
    ok(await worker.call("update_task_execution", { ...attempt, task_id, status: "running" }));
    const verified = { ...attempt, task_id, verify_result: "ALIGNED", changed_files: ["a"] };
    expect(ok(await worker.call("verify_sprint_task", verified))).toMatchObject({ passes: true });
    const done = { ...attempt, task_id, status: "done", verify_result: "ALIGNED" };
    expect(ok(await worker.call("update_task_execution", done))).toMatchObject({ status: "done" });
  }
  ok(await worker.call("update_job_status", { ...attempt, status: "done", verify_result: "ALIGNED" }));
});
