import { describe, expect, it } from "vitest";
import { z } from "zod";
import { exportDocumentSchema } from "~/contract/export-document";
import { importDocument } from "~/domain/transfers/import-document.server";
import { bearer, createToken, startTestApp } from "../setup/app";
import { createTestDatabase } from "../setup/database";
import { createUser } from "../setup/users";
import { connectClient, type ToolAnswer, type ToolClient } from "./clients";

const t = await createTestDatabase({ realtime: true });
const app = await startTestApp(t);
const ada = await createUser(t, { username: "ada" });
const token = await createToken(t, ada);

function ok({ isError, result, text }: ToolAnswer): Record<string, unknown> {
  expect(isError, text).toBe(false);
  return result;
}

const identified = z.object({ id: z.string() });
const batchSchema = identified.extend({ executions: z.array(z.object({ task_id: z.string() })) });
const taskJobSchema = identified.extend({ task: identified });
const idOf = (value: unknown): string => identified.parse(value).id;
const listOf = (value: unknown): string[] =>
  z
    .array(identified)
    .parse(value)
    .map(({ id }) => id);

/** A product with one story of some planned tasks in an active sprint. */
async function createProduct(
  code: string,
  { plan = "Do it", tasks = 1, strategy = "SPRINT" } = {},
) {
  const document = exportDocumentSchema.parse({
    format: "backloom-export",
    version: 1,
    product: { code, name: code, pr_strategy: strategy },
    sprints: [{ code: "SP-1", sprint_goal: "All", status: "ACTIVE" }],
    pbis: [
      {
        title: "PBI",
        stories: [
          {
            title: "Story",
            sprint: "SP-1",
            tasks: Array.from({ length: tasks }, (_, index) => ({
              title: `Task ${index + 1}`,
              implementation_plan: plan || null,
            })),
          },
        ],
      },
    ],
  });
  await importDocument(t.database, ada.id, document);
}

async function startRun(client: ToolClient, code: string) {
  return ok(await client.call("start_sprint_run", { sprint_id: "SP-1", product_id: code }));
}

/** `/mcp` to steer and `/mcp/worker` to work, as two programs would. */
async function connectBoth() {
  return {
    agent: await connectClient(app, token),
    worker: await connectClient(app, token, "2026-07-28", "/mcp/worker"),
  };
}

describe("a run over the tools", () => {
  it("names all blockers at once when it cannot start", async () => {
    const { agent } = await connectBoth();
    await createProduct("BLOCKED", { plan: "", tasks: 2 });
    const answer = await agent.call("start_sprint_run", {
      sprint_id: "SP-1",
      product_id: "BLOCKED",
    });
    expect(answer).toMatchObject({
      isError: true,
      result: {
        code: 409,
        error: expect.any(String),
        blockers: [
          { type: "task_no_plan", task_code: "T-1" },
          { type: "task_no_plan", task_code: "T-2" },
        ],
      },
    });
  });

  it("goes from the claim over heartbeat, usage and verification to done", async () => {
    const { agent, worker } = await connectBoth();
    await createProduct("WHOLE");
    const run = await startRun(agent, "WHOLE");
    const held = { worker: "one", product_id: "WHOLE" };
    const { job } = ok(await worker.call("wait_for_job", held));
    expect(job).toMatchObject({ kind: "TASK_IMPLEMENTATION", plan: "Do it", attempt: 1 });
    const job_id = idOf(job);
    const attempt = { job_id, attempt: 1 };
    expect(
      ok(await worker.call("update_job_status", { ...attempt, status: "running" })),
    ).toMatchObject({
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
    expect(ok(await agent.call("check_queue_empty", { product_id: "WHOLE" }))).toMatchObject({
      empty: true,
    });
  });

  it("J3: refuses the report of an attempt that no longer holds the job, with a hint", async () => {
    const { agent, worker } = await connectBoth();
    await createProduct("FENCE");
    await startRun(agent, "FENCE");
    const first = ok(await worker.call("wait_for_job", { worker: "one", product_id: "FENCE" }));
    const job_id = idOf(first.job);
    ok(await worker.call("wait_for_job", { worker: "one", product_id: "FENCE", restarted: true }));
    const late = await worker.call("update_job_status", {
      job_id,
      attempt: 1,
      status: "done",
      verify_result: "ALIGNED",
    });
    expect(late).toMatchObject({ isError: true, result: { code: 409, hint: expect.any(String) } });
    expect(ok(await worker.call("job_heartbeat", { job_id, attempt: 1 }))).toMatchObject({
      action: "stop",
    });
  });

  it("is paused, resumed and cancelled", async () => {
    const { agent } = await connectBoth();
    await createProduct("STEER");
    const run = await startRun(agent, "STEER");
    const named = { sprint_run_id: run.id };
    expect(ok(await agent.call("pause_sprint_run", { ...named, reason: "Lunch" }))).toMatchObject({
      status: "paused",
      pause_context: { reason: "Lunch" },
    });
    expect(ok(await agent.call("why_not_moving", { kind: "run", id: run.id }))).toMatchObject({
      moving: false,
      reasons: [{ code: "paused", message: expect.any(String) }],
    });
    expect(ok(await agent.call("resume_sprint_run", named))).toMatchObject({ status: "queued" });
    expect(
      ok(await agent.call("why_not_moving", { kind: "task", id: "T-1", product_id: "STEER" })),
    ).toMatchObject({
      reasons: [{ code: expect.stringMatching(/^[a-z_]+$/) }],
    });
    expect(ok(await agent.call("cancel_sprint_run", named))).toMatchObject({ status: "cancelled" });
    expect(await agent.call("resume_sprint_run", named)).toMatchObject({
      isError: true,
      result: { code: 409 },
    });
  });

  it("fails with its task, and resume_sprint begins again", async () => {
    const { agent, worker } = await connectBoth();
    await createProduct("AGAIN", { tasks: 2 });
    await startRun(agent, "AGAIN");
    const { job } = ok(await worker.call("wait_for_job", { worker: "one", product_id: "AGAIN" }));
    const job_id = idOf(job);
    ok(
      await worker.call("update_job_status", {
        job_id,
        attempt: 1,
        status: "failed",
        failure_reason: "No",
      }),
    );
    const again = ok(await agent.call("resume_sprint", { sprint_id: "SP-1", product_id: "AGAIN" }));
    expect(again).toMatchObject({ status: "queued", jobs_total: 2 });
    const run = ok(await agent.call("get_sprint_run", { sprint_run_id: again.id }));
    const [queued] = listOf(run.jobs);
    expect(ok(await agent.call("cancel_job", { job_id: queued }))).toMatchObject({
      status: "cancelled",
    });
  });

  it("moves the tasks of a batch one by one", async () => {
    const { agent, worker } = await connectBoth();
    await createProduct("BATCH", { tasks: 2, strategy: "SPRINT_BATCH" });
    await startRun(agent, "BATCH");
    const { job } = ok(await worker.call("wait_for_job", { worker: "one", product_id: "BATCH" }));
    const payload = batchSchema.parse(job);
    const attempt = { job_id: payload.id, attempt: 1 };
    for (const { task_id } of payload.executions) {
      ok(await worker.call("update_task_execution", { ...attempt, task_id, status: "running" }));
      const verified = { ...attempt, task_id, verify_result: "ALIGNED", changed_files: ["a"] };
      expect(ok(await worker.call("verify_sprint_task", verified))).toMatchObject({ passes: true });
      const done = { ...attempt, task_id, status: "done", verify_result: "ALIGNED" };
      expect(ok(await worker.call("update_task_execution", done))).toMatchObject({
        status: "done",
      });
    }
    ok(
      await worker.call("update_job_status", {
        ...attempt,
        status: "done",
        verify_result: "ALIGNED",
      }),
    );
  });
});

describe("wait_for_job", () => {
  it("answers as soon as a job is there, not when its time is over", async () => {
    const { agent, worker } = await connectBoth();
    await createProduct("WAKE");
    const waiting = worker.call("wait_for_job", { worker: "waiter", product_id: "WAKE" });
    await expect
      .poll(() => app.services.hub.gauges.viewers, { timeout: 10_000 })
      .toBeGreaterThanOrEqual(2);
    await startRun(agent, "WAKE");
    expect(ok(await waiting)).toMatchObject({ job: { status: "claimed" }, reason: null });
    expect(app.services.hub.gauges.viewers).toBe(0);
  });

  it("tells why there is none, and tells a worker without quota at once", async () => {
    const { worker } = await connectBoth();
    await createProduct("NONE");
    const wish = { worker: "waiter-2", product_id: "NONE" };
    expect(ok(await worker.call("wait_for_job", { ...wish, wait_seconds: 0 }))).toMatchObject({
      job: null,
      reason: { code: "empty", message: expect.any(String) },
    });
    expect(ok(await worker.call("wait_for_job", { ...wish, quota_pct: 1 }))).toMatchObject({
      job: null,
      reason: { code: "quota" },
    });
  });

  it("stops waiting and claims nothing when its caller is gone", async () => {
    const { agent } = await connectBoth();
    await createProduct("GONE");
    const caller = new AbortController();
    const call = { name: "wait_for_job", arguments: { worker: "leaver", product_id: "GONE" } };
    const request = app.request("/mcp/worker", {
      method: "POST",
      signal: caller.signal,
      headers: { ...bearer(token), "content-type": "application/json" },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: call }),
    });
    await expect.poll(() => app.services.hub.gauges.viewers).toBeGreaterThanOrEqual(2);
    caller.abort();
    await expect(request).rejects.toThrow();
    await expect.poll(() => app.services.hub.gauges.viewers).toBe(0);
    const run = await startRun(agent, "GONE");
    expect(ok(await agent.call("get_sprint_run", { sprint_run_id: run.id }))).toMatchObject({
      jobs: [{ status: "queued" }],
    });
  });
});

describe("questions over the tools", () => {
  it("are asked, listed, answered and read; another one is cancelled", async () => {
    const { agent, worker } = await connectBoth();
    await createProduct("ASK");
    const about = await agent.call("search", { query: "Story", product_id: "ASK" });
    const [story] = listOf(about.result.items);
    const wish = { story_id: story, question: "Left or right?", options: ["Left", "Right"] };
    const asked = ok(await worker.call("ask_user_question", { ...wish, recommended_option: 1 }));
    expect(asked).toMatchObject({
      status: "open",
      options: [{ label: "Left" }, { label: "Right" }],
    });
    const second = ok(await agent.call("ask_user_question", { ...wish, question: "Never mind?" }));
    ok(await agent.call("cancel_question", { question_id: second.id }));
    expect(ok(await agent.call("list_open_questions", { product_id: "ASK" }))).toMatchObject({
      questions: [{ id: asked.id }],
      next_cursor: null,
    });
    await t.database.call("call_as", {
      p_credential: { user_id: ada.id },
      p_function: "answer_question",
      p_arguments: { p_question_id: asked.id, p_option: 0 },
    });
    expect(ok(await worker.call("get_question_answer", { question_id: asked.id }))).toMatchObject({
      status: "answered",
      effective_answer: "Left",
    });
  });

  it("park a job, which comes back first with the answer", async () => {
    const { agent, worker } = await connectBoth();
    await createProduct("PARK");
    await startRun(agent, "PARK");
    const wish = { worker: "parker", product_id: "PARK" };
    const { job } = ok(await worker.call("wait_for_job", wish));
    const payload = taskJobSchema.parse(job);
    const question = ok(
      await worker.call("ask_user_question", {
        task_id: payload.task.id,
        question: "Which way?",
        park: true,
        job_id: payload.id,
        attempt: 1,
      }),
    );
    expect(ok(await worker.call("wait_for_job", { ...wish, wait_seconds: 0 }))).toMatchObject({
      job: null,
      reason: { code: "question" },
    });
    const waiting = worker.call("wait_for_job", wish);
    await t.database.call("call_as", {
      p_credential: { user_id: ada.id },
      p_function: "answer_question",
      p_arguments: { p_question_id: question.id, p_answer: "North" },
    });
    expect(ok(await waiting)).toMatchObject({
      job: { id: payload.id, attempt: 2, questions: [{ effective_answer: "North" }] },
    });
  });

  it("of users about ideas are listed and answered", async () => {
    const { agent } = await connectBoth();
    await createProduct("USERS");
    const idea = ok(await agent.call("create_idea", { product_id: "USERS", title: "Idea" }));
    await t.database.call("call_as", {
      p_credential: { user_id: ada.id },
      p_function: "ask_about_idea",
      p_arguments: { p_idea_id: idea.id, p_question: "How long?" },
    });
    const listed = ok(await agent.call("list_open_user_questions", { product_id: "USERS" }));
    const [open] = listOf(listed.user_questions);
    const answer = { user_question_id: open, answer: "A day" };
    expect(ok(await agent.call("answer_user_question", answer))).toMatchObject({
      status: "answered",
    });
  });
});

describe("pull requests of PBIs", () => {
  it("are linked and marked as merged", async () => {
    const { agent } = await connectBoth();
    await createProduct("PRS");
    const named = { pbi_id: "PBI-1", product_id: "PRS" };
    expect(
      ok(await agent.call("set_pbi_pr", { ...named, pr_url: "https://example.com/1" })),
    ).toMatchObject({
      pr_url: "https://example.com/1",
      pr_merged_at: null,
    });
    expect(ok(await agent.call("mark_pbi_pr_merged", named))).toMatchObject({
      pr_merged_at: expect.any(String),
    });
    const bad = { ...named, pr_url: "javascript:alert(1)" };
    expect(await agent.call("set_pbi_pr", bad)).toMatchObject({
      isError: true,
      result: { code: 422 },
    });
  });
});
