import { expect, it } from "vitest";
import { claimAgentJob, getAgentJob, reportAgentJob, updateTaskExecution } from "~/nouns/agent-jobs/operations.server";
import { updateProduct } from "~/nouns/products/operations.server";
import { restartWorker } from "~/nouns/workers/operations.server";
import { createTestDatabase } from "../../setup/database";
import { at, type SprintWorld } from "../../setup/world";

const t = await createTestDatabase();

type Job = NonNullable<Awaited<ReturnType<typeof claim>>["job"]>;

async function running(fallback: string[], strategy: "STORY" | "SPRINT_BATCH" = "STORY") {
  const world = await t.seedSprint({ strategy, stories: [1] });
  const settings = { product_id: world.product.id, agent: "claude", model: "opus", effort: "low", fallback } as const;
  await updateProduct(world.actor, settings);
  await world.start();
  return world;
}

const claim = ({ actor }: SprintWorld, ...ids: string[]) =>
  claimAgentJob(actor, { worker: ids.join("-"), agents: ids.map((id) => ({ id })) });

async function claimed(world: SprintWorld, ...ids: string[]): Promise<Job> {
  const { job, reason } = await claim(world, ...ids);
  if (job === null) throw new Error(reason?.message);
  return job;
}

const inMinutes = (minutes: number) => new Date(Date.now() + minutes * 60_000).toISOString();

const fail = ({ actor }: SprintWorld, job: Job, fields: Record<string, unknown>) =>
  reportAgentJob(actor, { job_id: job.id, attempt: job.attempt, status: "failed", ...fields });
const limited = (world: SprintWorld, job: Job, minutes: number, kept_ref = "backloom/kept/a") =>
  fail(world, job, { failure_class: "rate_limited", failure_reason: "limit", kept_ref, resets_at: inMinutes(minutes) });

it("A limit further away than fallback_after hands the kept work to the next agent at once", async () => {
  const world = await running(["codex"]);
  const first = await claimed(world, "claude", "codex");
  expect(first).toMatchObject({ agent: "claude", model: "opus" });
  const handed = { status: "queued", fallback_agent: "codex", not_before: null, retry_count: 0 };
  expect(await limited(world, first, 16)).toMatchObject(handed);
  expect((await claim(world, "claude")).reason?.code).toBe("agent");
  const second = await claimed(world, "codex");
  expect(second).toMatchObject({
    id: first.id,
    attempt: 2,
    agent: "codex",
    model: null,
    effort: "low",
    earlier_attempts: [{ agent: "claude", outcome: "rate_limited", kept_ref: "backloom/kept/a" }],
  });
  const { attempts } = await getAgentJob(world.actor, { job_id: first.id });
  expect(attempts).toMatchObject([{ agent: "claude" }, { agent: "codex", outcome: null }]);
});

it("A limit without an end hands the job over only when the same agent meets it again", async () => {
  const world = await running(["codex"]);
  const endless = { failure_class: "rate_limited", failure_reason: "limit" };
  const first = await claimed(world, "claude");
  expect(await fail(world, first, endless)).toMatchObject({ fallback_agent: null });
  await t.query`update agent_jobs set not_before = null where id = ${first.id}`;
  const again = await claimed(world, "claude");
  expect(await fail(world, again, endless)).toMatchObject({
    status: "queued",
    fallback_agent: "codex",
    not_before: null,
  });
});

it("A limit nearer than fallback_after is waited for, as is any limit without a fallback list", async () => {
  for (const [fallback, minutes] of [
    [["codex"], 14],
    [[], 600],
  ] as const) {
    const world = await running([...fallback]);
    const job = await claimed(world, "claude");
    expect(await limited(world, job, minutes)).toMatchObject({
      status: "queued",
      fallback_agent: null,
      not_before: expect.any(String),
    });
    expect((await claim(world, "claude", "codex")).reason?.code).toBe("not_before");
  }
});

it("A job that keeps failing goes through the fallback list, each agent once, and then fails", async () => {
  const world = await running(["claude", "codex", "gemini"]);
  const failed = { failure_class: "agent_error", failure_reason: "it broke" };
  for (const agent of ["claude", "codex", "gemini"]) {
    const job = await claimed(world, "gemini", "codex", "claude");
    expect(job).toMatchObject({ agent });
    const isLast = agent === "gemini";
    const end = await fail(world, job, failed);
    expect(end).toMatchObject({ status: isLast ? "failed" : "queued" });
    // An answer may get lost: the same report again is fine.
    expect(await fail(world, job, failed)).toMatchObject({ status: end.status });
    if (!isLast) expect(job.run?.status).not.toBe("failed");
  }
  const rows = await t.query<{ agent: string; outcome: string }>`select agent, outcome
      from public.job_attempts where product_id = ${world.product.id} order by attempt`;
  expect(rows.map(({ agent, outcome }) => `${agent} ${outcome}`)).toEqual(
    ["claude", "codex", "gemini"].map((agent) => `${agent} failed`),
  );
});

it("A cancelled job is handed to no fallback agent", async () => {
  const world = await running(["codex"]);
  const job = await claimed(world, "claude");
  expect(await fail(world, job, { failure_class: "cancelled" })).toMatchObject({ status: "failed" });
});

it("A job whose agent used up all retries continues with the next agent and its own retries", async () => {
  const world = await running(["codex"]);
  for (let lost = 1; lost <= 4; lost += 1) {
    const job = await claimed(world, "claude");
    expect(job.retry_count).toBe(lost - 1);
    await restartWorker(world.actor, { worker: "claude" });
  }
  const job = await claimed(world, "codex");
  expect(job).toMatchObject({ attempt: 5, retry_count: 0, agent: "codex" });
});

it("A task of a batch that one agent failed is left to the next agent", async () => {
  const world = await running(["codex"], "SPRINT_BATCH");
  const job = await claimed(world, "claude");
  const task = { job_id: job.id, attempt: job.attempt, task_id: at(world.tasks, 0).id };
  await updateTaskExecution(world.actor, { ...task, status: "running" });
  await updateTaskExecution(world.actor, { ...task, status: "failed", failure_reason: "no" });
  await updateTaskExecution(world.actor, { ...task, status: "failed", failure_reason: "no" });
  const next = await claimed(world, "codex");
  expect(next).toMatchObject({ id: job.id, attempt: 2, previous_failure: "no" });
  expect(next.executions).toMatchObject([{ status: "running" }]);
});
