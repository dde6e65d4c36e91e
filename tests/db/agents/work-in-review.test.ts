import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ContractError } from "~/contract/errors";
import {
  cancelAgentJob,
  claimAgentJob,
  reportAgentJob,
  updateTaskExecution,
} from "~/nouns/agent-jobs/operations.server";
import { addDependency } from "~/nouns/dependencies/operations.server";
import { reviewJob } from "~/nouns/job-reviews/operations.server";
import { updateProduct } from "~/nouns/products/operations.server";
import {
  cancelSprintRun,
  pauseSprintRun,
  preflightSprintRun,
  resumeSprint,
  resumeSprintRun,
  startRun,
  startSprintRun,
} from "~/nouns/sprint-runs/operations.server";
import { completeSprint } from "~/nouns/sprints/operations.server";
import { createTestDatabase } from "../../setup/database";
import { at, claim, type SprintOptions, type SprintWorld } from "../../setup/world";
import { refusalOf } from "../refusal";

const t = await createTestDatabase();

/** A sprint of a product in which a person judges; every end of a story's last task waits for them. */
async function seedJudged(options: SprintOptions = {}) {
  const world = await t.seedSprint({ strategy: "STORY", stories: [1, 1], ...options });
  await updateProduct(world.actor, { product_id: world.product.id, done_requires: "person" });
  return world;
}

const reportOn = (world: SprintWorld, job: { id: string; attempt: number }, rest: object) =>
  reportAgentJob(world.actor, { job_id: job.id, attempt: job.attempt, status: "done", ...rest });

/** The first task of a run waits for its review. */
async function waitForReview(world: SprintWorld) {
  const run = await world.start();
  const job = await claim(world.actor);
  const shas = { base_sha: "aaa", head_sha: "bbb" };
  await reportOn(world, job, { verify_result: "ALIGNED", branch: job.branch, ...shas });
  return { run, job };
}

describe("work that waits for a review", () => {
  it("stays reviewable when its run is cancelled, and no start does it again", async () => {
    const world = await seedJudged();
    const { run, job } = await waitForReview(world);
    await cancelSprintRun(world.actor, { sprint_run_id: run.id });
    expect(await t.statusesOf("agent_jobs", [job.id])).toEqual(["QUEUED"]);
    const preflight = await preflightSprintRun(world.actor, { sprint_id: world.sprint.id });
    expect(preflight).toMatchObject({ ready: true, tasks_total: 1, jobs_total: 1 });
    expect(await world.start()).toMatchObject({
      jobs_total: 1,
    });
    await reviewJob(world.actor, { job_id: job.id, verdict: "approve" });
    expect(await t.taskStatuses(world)).toEqual(["DONE", "TO_DO"]);
  });

  it("stays reviewable when another task fails, and skipping that one leaves it alone", async () => {
    const world = await seedJudged({ stories: [1, 1, 1] });
    const { job } = await waitForReview(world);
    const second = await claim(world.actor);
    await reportOn(world, second, { status: "failed", failure_reason: "No" });
    expect(await t.taskStatuses(world)).toEqual(["REVIEW", "FAILED", "TO_DO"]);
    const next = await resumeSprint(world.actor, {
      ...{ sprint_id: world.sprint.id, skip_failed: true },
    });
    expect(next?.jobs_total).toBe(1);
    await reviewJob(world.actor, { job_id: job.id, verdict: "approve" });
    expect(at(await t.taskStatuses(world), 0)).toBe("DONE");
  });

  it("returns to the board when its run is over and changes are requested, and the next run begins from it", async () => {
    const world = await seedJudged({ stories: [1] });
    const { run, job } = await waitForReview(world);
    await cancelSprintRun(world.actor, { sprint_run_id: run.id });
    const summary = "Say it louder";
    await reviewJob(world.actor, { job_id: job.id, verdict: "request_changes", summary });
    expect(await t.taskStatuses(world)).toEqual(["TO_DO"]);
    await world.start();
    const again = await claim(world.actor);
    expect(again.review).toMatchObject([{ body: summary }]);
    expect(again.begins_from).toMatchObject([{ head_sha: "bbb" }]);
  });

  it("returns to the board too when it is a batch whose run was cancelled", async () => {
    const world = await seedJudged({ strategy: "SPRINT_BATCH", stories: [2] });
    const run = await world.start();
    const job = await claim(world.actor);
    for (const { id } of world.tasks) {
      const end = { status: "done", verify_result: "ALIGNED" } as const;
      const of = { job_id: job.id, attempt: job.attempt, task_id: id };
      await updateTaskExecution(world.actor, { ...of, ...end });
    }
    await reportOn(world, job, { verify_result: "ALIGNED" });
    await cancelSprintRun(world.actor, { sprint_run_id: run.id });
    expect(await t.statusesOf("agent_jobs", [job.id])).toEqual(["QUEUED"]);
    await reviewJob(world.actor, { job_id: job.id, verdict: "request_changes", summary: "No" });
    expect(await t.taskStatuses(world)).toEqual(["DONE", "TO_DO"]);
  });

  it("is refused when chosen, with what to do, and cannot be cancelled", async () => {
    const world = await seedJudged({ stories: [1] });
    const { run, job } = await waitForReview(world);
    expect((await refusalOf(cancelAgentJob(world.actor, { job_id: job.id }))).message).toBe(
      "The work of this job is done and waits for a review. Approve it, or request changes.",
    );
    await cancelSprintRun(world.actor, { sprint_run_id: run.id });
    const task_ids = world.tasks.map(({ id }) => id);
    const refusal = await refusalOf(startRun(world.actor, { task_ids }));
    expect(refusal.detail).toMatchObject({ blockers: [{ type: "task_in_review" }] });
    const empty = await refusalOf(world.start());
    expect(empty.message).toContain("what is left waits for a review");
  });

  it("holds no sprint open: it can be completed, and the reviews go on", async () => {
    const world = await seedJudged({ stories: [1] });
    const { run, job } = await waitForReview(world);
    await completeSprint(world.actor, { sprint_id: world.sprint.id });
    expect(await t.columnOf("sprint_runs", run.id, "status")).toBe("DONE");
    await reviewJob(world.actor, { job_id: job.id, verdict: "approve" });
    expect(await t.taskStatuses(world)).toEqual(["DONE"]);
  });

  it("is waited for by what depends on it in the same sprint", async () => {
    const world = await seedJudged();
    const [first, second] = [at(world.tasks, 0), at(world.tasks, 1)];
    await addDependency(world.actor, { kind: "task", id: second.id, blocked_by: first.id });
    const { run } = await waitForReview(world);
    await cancelSprintRun(world.actor, { sprint_run_id: run.id });
    expect(await world.start()).toMatchObject({
      jobs_total: 1,
    });
  });
});

const verbs = [
  "start",
  "own",
  "pause",
  "go on",
  "cancel",
  "again",
  "skip",
  "done",
  "fail",
] as const;

/** Does one thing as a person or a worker would; whether it is refused does not matter here. */
async function act(world: SprintWorld, verb: (typeof verbs)[number], claimed: string[]) {
  const { actor } = world;
  const sprint = { sprint_id: world.sprint.id };
  const rows = await t.query<{ id: string }>`select id from public.sprint_runs
    where product_id = ${world.product.id} order by created_at desc, id limit 1`;
  const run = { sprint_run_id: rows[0]?.id ?? "" };
  switch (verb) {
    case "start":
      return startSprintRun(actor, sprint);
    case "own":
      return startRun(actor, { task_ids: world.tasks.map(({ id }) => id), leave_out: true });
    case "pause":
      return pauseSprintRun(actor, { ...run, reason: "manual" });
    case "go on":
      return resumeSprintRun(actor, run);
    case "cancel":
      return cancelSprintRun(actor, run);
    case "again":
    case "skip":
      return resumeSprint(actor, { ...sprint, skip_failed: verb === "skip" });
  }
  const { job } = await claimAgentJob(actor, { worker: "worker-1" });
  if (job?.task) claimed.push(job.task.id);
  if (!job) return;
  await (verb === "fail"
    ? reportOn(world, job, { status: "failed", failure_reason: "No" })
    : reportOn(world, job, { verify_result: "ALIGNED", head_sha: "bbb" }));
}

describe("whatever is started, skipped, cancelled, resumed or retried", () => {
  it("never gives out a task that waits for a review", async () => {
    const run = fc.array(fc.constantFrom(...verbs), { minLength: 6, maxLength: 24 });
    const seeds = fc.constantFrom("SPRINT" as const, "STORY" as const);
    await fc.assert(
      fc.asyncProperty(seeds, run, async (strategy, steps) => {
        const world = await seedJudged({ strategy, stories: [1, 1, 1] });
        for (const step of steps) {
          const before = await t.taskStatuses(world);
          const claimed: string[] = [];
          await act(world, step, claimed).catch((error: unknown) => {
            if (!(error instanceof ContractError)) throw error;
          });
          const after = await t.taskStatuses(world);
          for (const [place, { id }] of world.tasks.entries()) {
            if (before[place] !== "REVIEW") continue;
            expect([after[place], claimed.includes(id)]).toEqual(["REVIEW", false]);
          }
        }
      }),
      { numRuns: 40 },
    );
  }, 300_000);
});
