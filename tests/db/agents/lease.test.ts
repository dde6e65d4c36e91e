import { createHash } from "node:crypto";
import { expect, it } from "vitest";
import { z } from "zod";
import {
  heartbeatAgentJob,
  reportAgentJob,
  reportJobUsage,
  verifyTaskAgainstPlan,
  whyNotMoving,
} from "~/nouns/agent-jobs/operations.server";
import { addEvidence } from "~/nouns/proof/operations.server";
import { askQuestion } from "~/nouns/questions/operations.server";
import { pauseSprintRun } from "~/nouns/sprint-runs/operations.server";
import { restartWorker } from "~/nouns/workers/operations.server";
import { createTestDatabase } from "../../setup/database";
import { at, claim, claimRefusal } from "../../setup/world";
import { refusalOf, statusOf } from "../refusal";
import { later, minutes, serviceAt } from "./fixed-clock";

const t = await createTestDatabase();
const done = { status: "done", verify_result: "ALIGNED" } as const;

async function expireLease(jobId: string) {
  await t.query`update public.agent_jobs set lease_until = now() - interval '1 second' where id = ${jobId}`;
}

it("A heartbeat renews the lease of its job and answers continue", async () => {
  const { world, job, attempt } = await t.holdJob({ stories: [2] });
  await t.query`update public.agent_jobs set lease_until = now() + interval '10 seconds' where id = ${job.id}`;
  const answer = await heartbeatAgentJob(world.actor, { ...attempt, quota_pct: 55 });
  expect(answer).toMatchObject({ action: "continue", status: "claimed", reason: null });
  expect(Date.parse(answer.lease_until ?? "") - Date.now()).toBeGreaterThan(290_000);
  const rows = await t.query`select last_quota_pct from public.agent_workers where user_id = ${world.owner.id}`;
  expect(rows).toEqual([{ last_quota_pct: 55 }]);
});

it("Every call of the attempt that holds a job renews its lease", async () => {
  const { world, job, attempt } = await t.holdJob({ stories: [2] });
  const words = [
    () => reportAgentJob(world.actor, { ...attempt, status: "running" }),
    () => reportJobUsage(world.actor, { ...attempt, input_tokens: 5 }),
    () => verifyTaskAgainstPlan(world.actor, { ...attempt, verify_result: "PARTIAL" }),
    () => askQuestion(world.actor, { ...attempt, task_id: at(world.tasks, 0).id, question: "Why?" }),
  ];
  for (const say of words) {
    await expireLease(job.id);
    await say();
    const until = z.date().parse(await t.columnOf("agent_jobs", job.id, "lease_until"));
    expect(until.getTime() - Date.now()).toBeGreaterThan(290_000);
  }
});

it("A heartbeat in a paused run answers pause, with the reason", async () => {
  const { world, run, attempt } = await t.holdJob({ stories: [2] });
  await pauseSprintRun(world.actor, { sprint_run_id: run.id, reason: "merge_conflict" });
  const answer = await heartbeatAgentJob(world.actor, attempt);
  expect(answer).toMatchObject({ action: "pause", reason: { code: "paused" } });
  expect(answer.reason?.message).toContain("merge conflict");
});

it("A lease that ends returns its job to the queue by the sweep, exactly then, with one retry more", async () => {
  const { world, job } = await t.holdJob({ stories: [2] });
  const end = new Date("2030-01-01T00:00:00.000Z");
  await t.query`update public.agent_jobs set lease_until = ${end} where id = ${job.id}`;
  await serviceAt(t, later(end, -1), "sweep()");
  expect(await t.columnOf("agent_jobs", job.id, "status")).toBe("CLAIMED");
  const swept = await serviceAt(t, end, "sweep()");
  expect(swept.taken_back).toBeGreaterThanOrEqual(1);
  expect(await t.columnOf("agent_jobs", job.id, "status")).toBe("QUEUED");
  expect(await t.columnOf("agent_jobs", job.id, "retry_count")).toBe(1);
  expect(await t.columnOf("tasks", at(world.tasks, 0).id, "status")).toBe("IN_PROGRESS");
  const again = await claim(world.actor, "worker-2");
  expect(again).toMatchObject({ id: job.id, attempt: 2, retry_count: 1 });
  expect(again.previous_failure).toContain("lease of attempt 1 expired");
});

it("A lease that ran out is taken over by the next claim", async () => {
  const { world, job } = await t.holdJob({ stories: [2] });
  expect(await claimRefusal(world.actor, "worker-2")).toBe("order");
  await expireLease(job.id);
  expect(await claim(world.actor, "worker-2")).toMatchObject({ id: job.id, attempt: 2, retry_count: 1 });
});

it("J7: A lease lost after three retries fails the job with the reason kept, and the run with it", async () => {
  const { world, run, job } = await t.holdJob({ stories: [2] });
  for (const retry of [1, 2, 3]) {
    await expireLease(job.id);
    expect(await claim(world.actor)).toMatchObject({ attempt: retry + 1, retry_count: retry });
  }
  await expireLease(job.id);
  expect(await claimRefusal(world.actor)).toBe("empty");
  expect(await t.columnOf("agent_jobs", job.id, "status")).toBe("FAILED");
  expect(await t.columnOf("agent_jobs", job.id, "failure_reason")).toContain("All 3 retries are used up");
  expect(await t.columnOf("agent_jobs", job.id, "failure_class")).toBe("infrastructure");
  expect(await t.columnOf("sprint_runs", run.id, "status")).toBe("FAILED");
  expect(await t.columnOf("tasks", at(world.tasks, 0).id, "status")).toBe("FAILED");
  const why = await whyNotMoving(world.actor, { kind: "job", id: job.id });
  expect(why.reasons.map(({ code }) => code)).toEqual(["budget"]);
});

it("An attempt that another user holds is refused with who holds it, in a report as in evidence", async () => {
  const { world, job, attempt } = await t.holdJob();
  const member = await t.createMember(world.product.id, { username: "grace" });
  const token = await t.createToken(member);
  const token_hash = createHash("sha256").update(token).digest("hex");
  const actor = { database: t.database, credential: { token_hash } };
  const holder = `Attempt 1 of this job is held by worker worker-1 of ${world.owner.username}.`;
  const report = await refusalOf(reportAgentJob(actor, { ...attempt, ...done }));
  expect(report).toMatchObject({ status: 409, message: expect.stringContaining(holder) });
  const line = { criterion: "0".repeat(12), job_id: job.id, attempt: 1 };
  const evidence = await refusalOf(addEvidence(actor, { ...line, story_id: at(world.stories, 0).id }));
  expect(evidence).toMatchObject({ status: 409, message: expect.stringContaining(holder) });
});

it("J3: A worker whose job was re-claimed changes nothing by its report and is told so", async () => {
  const { world, job, attempt } = await t.holdJob({ stories: [2] });
  await expireLease(job.id);
  const second = await claim(world.actor, "worker-2");
  const refusal = await refusalOf(reportAgentJob(world.actor, { ...attempt, ...done, input_tokens: 99 }));
  expect(refusal.status).toBe(409);
  expect(refusal.message).toContain("Attempt 1 no longer holds this job");
  expect(await statusOf(reportJobUsage(world.actor, { ...attempt, input_tokens: 99 }))).toBe(409);
  expect(await t.columnOf("agent_jobs", job.id, "status")).toBe("CLAIMED");
  expect(await t.columnOf("agent_jobs", job.id, "input_tokens")).toBeNull();
  expect(await t.columnOf("tasks", at(world.tasks, 0).id, "status")).toBe("IN_PROGRESS");
  await reportAgentJob(world.actor, { job_id: job.id, attempt: second.attempt, ...done });
  expect(await t.columnOf("tasks", at(world.tasks, 0).id, "status")).toBe("DONE");
});

it("J4: A report after the lease ran out is still heard while no one took the job away", async () => {
  const { world, job, attempt } = await t.holdJob({ stories: [2] });
  await expireLease(job.id);
  const report = await reportAgentJob(world.actor, { ...attempt, ...done });
  expect(report.status).toBe("done");
  expect(await reportAgentJob(world.actor, { ...attempt, ...done })).toEqual(report);
});

it("J4: A report is refused once the sweep took the job away", async () => {
  const { world, job, attempt } = await t.holdJob({ stories: [2] });
  await serviceAt(t, later(job.lease_until, minutes(1)), "sweep()");
  expect(await statusOf(reportAgentJob(world.actor, { ...attempt, ...done }))).toBe(409);
  expect(await t.columnOf("agent_jobs", job.id, "status")).toBe("QUEUED");
});

it("J5: The heartbeat of a lost attempt renews nothing and answers stop", async () => {
  const { world, job, attempt } = await t.holdJob({ stories: [2] });
  await expireLease(job.id);
  await claim(world.actor, "worker-2");
  const lease = await t.columnOf("agent_jobs", job.id, "lease_until");
  const answer = await heartbeatAgentJob(world.actor, attempt);
  expect(answer).toMatchObject({ action: "stop", lease_until: null, reason: { code: "lost" } });
  expect(answer.reason?.message).toContain("Attempt 1 no longer holds this job (it is at attempt 2");
  expect(await t.columnOf("agent_jobs", job.id, "lease_until")).toEqual(lease);
});

it("A worker that restarted closes its lost attempt in one call", async () => {
  const { world, job, attempt } = await t.holdJob({ stories: [2] });
  const other = await restartWorker(world.actor, { worker: "worker-2" });
  expect(other.closed).toEqual([]);
  const { closed } = await restartWorker(world.actor, { worker: "worker-1" });
  expect(closed).toEqual([{ id: job.id, attempt: 1, status: "queued" }]);
  expect(await statusOf(reportAgentJob(world.actor, { ...attempt, ...done }))).toBe(409);
  const again = await claim(world.actor, "worker-1");
  expect(again).toMatchObject({ id: job.id, attempt: 2, retry_count: 1 });
  expect(again.previous_failure).toContain("restarted");
});
