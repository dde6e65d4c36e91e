import { createHash } from "node:crypto";
import fc from "fast-check";
import { expect, it } from "vitest";
import {
  cancelAgentJob,
  claimAgentJob,
  reportAgentJob,
  updateTaskExecution,
} from "~/nouns/agent-jobs/operations.server";
import { addDependency } from "~/nouns/dependencies/operations.server";
import { updateProduct } from "~/nouns/products/operations.server";
import { addEvidence, getProof } from "~/nouns/proof/operations.server";
import { reviewJob } from "~/nouns/reviews/operations.server";
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
import { setTaskStatus } from "~/nouns/tasks/operations.server";
import { ContractError } from "~/wire/errors";
import { createTestDatabase } from "../../setup/database";
import { at, claim, type SprintOptions, type SprintWorld, type TestUser } from "../../setup/world";
import { refusalOf } from "../refusal";

const t = await createTestDatabase();

/** A run of a product in which a person judges, its first story, and a worker's turns. */
async function openRun(options: SprintOptions = {}) {
  const world = await t.seedSprint({ stories: [1], ...options });
  const { actor } = world;
  await updateProduct(actor, { product_id: world.product.id, done_requires: "person" });
  await startSprintRun(actor, { sprint_id: world.sprint.id });
  const of = { story_id: at(world.stories, 0).id };
  const works = async () => at((await getProof(actor, of)).criteria, 0);
  const take = async () => {
    const job = await claim(actor);
    const attempt = { job_id: job.id, attempt: job.attempt };
    const report = (rest: object) =>
      reportAgentJob(actor, { ...attempt, status: "done", verify_result: "ALIGNED", ...rest });
    const seen = { grade: "worker", command: "npm test", exit_code: 0 } as const;
    const evidence = job.criteria.map(({ id }) => ({ criterion: id, ...seen }));
    return { job, attempt, report, evidence };
  };
  const sendBack = (job_id: string) =>
    reviewJob(actor, { job_id, verdict: "request_changes", summary: "Say it louder" });
  return { world, actor, of, works, take, sendBack };
}

async function memberOf({ product }: { product: { id: string } }) {
  const member = await t.createMember(product.id);
  return member;
}

async function agentOf({ owner }: { owner: TestUser }) {
  const token_hash = createHash("sha256")
    .update(await t.createToken(owner))
    .digest("hex");
  return { database: t.database, credential: { token_hash } };
}

it.each(["PARTIAL", "DIVERGENT", undefined] as const)(
  "Work that a person judges waits for review in the middle of a story too, the verdict being %s",
  async (verify_result) => {
    const { take, world, actor } = await openRun({ stories: [2], task: { p_verify_required: "ANY" } });
    const first = await take();
    const ended = await first.report({ verify_result });
    expect(ended).toMatchObject({ status: "queued", phase: "review" });
    const agent = await agentOf(world);
    const done = { task_id: at(world.tasks, 0).id, status: "done" } as const;
    expect((await refusalOf(setTaskStatus(agent, done))).status).toBe(403);

    // The last of the story waits too: what came before it was never judged.
    const last = await take();
    expect(await last.report({})).toMatchObject({ status: "queued", phase: "review" });
    expect(await t.statusesOf("tasks", world.tasks)).toEqual(["REVIEW", "REVIEW"]);
    await reviewJob(actor, { job_id: last.job.id, verdict: "approve" });
    await reviewJob(actor, { job_id: first.job.id, verdict: "approve" });
    expect(await t.statusesOf("tasks", world.tasks)).toEqual(["DONE", "DONE"]);
  },
);

it("An approval holds at the commit of the story, regardless of the last task", async () => {
  const { take, actor, works } = await openRun({ stories: [2] });
  const first = await take();
  await first.report({ verify_result: "PARTIAL", head_sha: "aaa" });
  const last = await take();
  await last.report({ head_sha: "bbb" });
  for (const { job } of [last, first]) {
    await reviewJob(actor, { job_id: job.id, verdict: "approve" });
  }
  expect(await works()).toMatchObject({ state: "proven", grade: "person", evidence: [{ head_sha: "bbb" }] });
});

it("Work in the middle of a story is done unreviewed if it follows its whole plan or no one judges", async () => {
  const { take, actor, world } = await openRun({ stories: [2, 1] });
  expect(await (await take()).report({})).toMatchObject({ status: "done" });
  await updateProduct(actor, { product_id: world.product.id, done_requires: "none" });
  const rest = await take();
  expect(await rest.report({ verify_result: "PARTIAL" })).toMatchObject({ status: "done" });
});

it("A task of a batch that follows its plan in part waits until the batch was judged", async () => {
  const { take, world, actor } = await openRun({ stories: [2, 1], strategy: "SPRINT_BATCH" });
  const batch = await take();
  for (const [place, verify_result] of (["PARTIAL", "ALIGNED", "ALIGNED"] as const).entries()) {
    const task_id = at(world.tasks, place).id;
    const end = { ...batch.attempt, task_id, status: "done", verify_result } as const;
    await updateTaskExecution(actor, end);
  }
  expect(await t.statusesOf("tasks", world.tasks)).toEqual(["REVIEW", "DONE", "REVIEW"]);
  expect(await batch.report({})).toMatchObject({ status: "queued", phase: "review" });
  await reviewJob(actor, { job_id: batch.job.id, verdict: "approve" });
  expect(await t.statusesOf("tasks", world.tasks)).toEqual(["DONE", "DONE", "DONE"]);
});

it("A request for changes voids what was seen in the work, and only another commit proves it again", async () => {
  const { take, world, sendBack, works } = await openRun();
  const first = await take();
  await first.report({ head_sha: "aaa", evidence: first.evidence });
  expect(await works()).toMatchObject({ state: "proven", grade: "worker" });
  await sendBack(first.job.id);
  const voided_by = world.owner.username;
  expect(await works()).toMatchObject({
    state: "unproven",
    grade: null,
    evidence: [{ verdict: "pass", voided_by, stale: false }],
  });

  const again = await take();
  expect(again.job.criteria[0]).toMatchObject({ state: "unproven" });
  await again.report({ status: "running", head_sha: "aaa", evidence: again.evidence });
  expect(await works()).toMatchObject({ state: "unproven", evidence: [{ voided_by }, {}] });
  const evidence = again.evidence.map((line) => ({ ...line, head_sha: "bbb" }));
  await again.report({ status: "running", head_sha: "bbb", evidence });
  expect(await works()).toMatchObject({ state: "proven", evidence: [{ voided_by: null }, {}, {}] });
});

it("A worker whose proof was voided is told that changes were requested", async () => {
  const { take, world, actor, sendBack } = await openRun();
  const first = await take();
  await first.report({ head_sha: "aaa", evidence: first.evidence });
  await sendBack(first.job.id);
  await updateProduct(actor, { product_id: world.product.id, done_requires: "worker" });
  const refusal = await refusalOf((await take()).report({}));
  expect(refusal.status).toBe(422);
  expect(refusal.issues?.[0]?.message).toContain("requested changes");
});

it("A request for changes voids proof of a run that is over too, and leaves failures as they are", async () => {
  const { take, world, actor, sendBack, works } = await openRun();
  await updateProduct(actor, { product_id: world.product.id, done_requires: "none" });
  const { job, report, evidence } = await take();
  await report({ head_sha: "aaa", evidence });
  expect(await works()).toMatchObject({ state: "proven", grade: "worker" });
  await sendBack(job.id);
  expect(await t.statusesOf("tasks", world.tasks)).toEqual(["TO_DO"]);
  expect(await works()).toMatchObject({ state: "unproven" });

  const other = await openRun();
  const held = await other.take();
  await held.report({ head_sha: "aaa" });
  const { id } = await other.works();
  await addEvidence.json(other.actor, { ...other.of, criterion: id, verdict: "fail" });
  await other.sendBack(held.job.id);
  expect(await other.works()).toMatchObject({ state: "failed", evidence: [{ voided_by: null }] });
});

it("A person may confirm work at any commit, and a token's request for changes leaves their word", async () => {
  const { take, world, actor, of, sendBack, works } = await openRun();
  const first = await take();
  await first.report({ head_sha: "aaa", evidence: first.evidence });
  await sendBack(first.job.id);
  const { id } = await works();
  await addEvidence.json(actor, { ...of, criterion: id, verdict: "pass" });
  expect(await works()).toMatchObject({ state: "proven", grade: "person" });

  const again = await take();
  await again.report({ head_sha: "aaa", evidence: again.evidence });
  const reviewer = await agentOf({ owner: await memberOf(world) });
  const changes = { verdict: "request_changes", summary: "Louder still" } as const;
  await reviewJob(reviewer, { job_id: first.job.id, ...changes });
  expect(await works()).toMatchObject({ state: "proven", grade: "person" });
});

it.each([
  ["what is proven alone", [], [true, false, false, false]],
  ["what is proven and what is ticked", [1, 3], [true, true, false, true]],
  ["everything, where the call does not say", undefined, [true, true, true, true]],
])("An approval confirms %s", async (_what, ticks, confirmed) => {
  const { take, world, actor, of } = await openRun();
  await updateProduct(actor, { product_id: world.product.id, definition_of_done: "- Is fast\n- Is safe\n- Is told" });
  const { job, report, evidence } = await take();
  const [passes, hollow, fails] = evidence;
  const isHollow = { ...hollow, base_exit_code: 0 };
  await report({ evidence: [{ ...passes, base_exit_code: 1 }, isHollow, { ...fails, exit_code: 1, verdict: "fail" }] });
  const states = async () => (await getProof(actor, of)).criteria.map(({ state }) => state);
  expect(await states()).toEqual(["proven", "unproven", "failed", "unproven"]);
  const confirm = ticks?.map((place) => at(job.criteria, place).id);
  await reviewJob(actor, { job_id: job.id, verdict: "approve", confirm });
  expect(await t.statusesOf("tasks", world.tasks)).toEqual(["DONE"]);
  const { criteria } = await getProof(actor, of);
  expect(criteria.map(({ grade, state }) => state === "proven" && grade === "person")).toEqual(confirmed);
});

/** A sprint of a product in which a person judges; every end of a story's last task waits for them. */
async function seedJudged(options: SprintOptions = {}) {
  const world = await t.seedSprint({ strategy: "STORY", stories: [1, 1], ...options });
  await updateProduct(world.actor, { product_id: world.product.id, done_requires: "person" });
  return world;
}

const reportOn = (world: SprintWorld, job: { id: string; attempt: number }, rest: object) =>
  reportAgentJob(world.actor, { job_id: job.id, attempt: job.attempt, status: "done", ...rest });

async function waitForReview(world: SprintWorld) {
  const run = await world.start();
  const job = await claim(world.actor);
  const shas = { base_sha: "aaa", head_sha: "bbb" };
  await reportOn(world, job, { verify_result: "ALIGNED", branch: job.branch, ...shas });
  return { run, job };
}

it("Work in review stays reviewable when its run is cancelled, and no start does it again", async () => {
  const world = await seedJudged();
  const { run, job } = await waitForReview(world);
  await cancelSprintRun(world.actor, { sprint_run_id: run.id });
  expect(await t.statusesOf("agent_jobs", [job])).toEqual(["QUEUED"]);
  const preflight = await preflightSprintRun(world.actor, { sprint_id: world.sprint.id });
  expect(preflight).toMatchObject({ ready: true, tasks_total: 1, jobs_total: 1 });
  expect(await world.start()).toMatchObject({ jobs_total: 1 });
  await reviewJob(world.actor, { job_id: job.id, verdict: "approve" });
  expect(await t.statusesOf("tasks", world.tasks)).toEqual(["DONE", "TO_DO"]);
});

it("Work in review stays reviewable when another task fails, and skipping that one leaves it alone", async () => {
  const world = await seedJudged({ stories: [1, 1, 1] });
  const { job } = await waitForReview(world);
  const second = await claim(world.actor);
  await reportOn(world, second, { status: "failed", failure_reason: "No" });
  expect(await t.statusesOf("tasks", world.tasks)).toEqual(["REVIEW", "FAILED", "TO_DO"]);
  const next = await resumeSprint(world.actor, { sprint_id: world.sprint.id, skip_failed: true });
  expect(next?.jobs_total).toBe(1);
  await reviewJob(world.actor, { job_id: job.id, verdict: "approve" });
  expect(at(await t.statusesOf("tasks", world.tasks), 0)).toBe("DONE");
});

it("Changes requested after the run return the work to the board, and the next run begins from it", async () => {
  const world = await seedJudged({ stories: [1] });
  const { run, job } = await waitForReview(world);
  await cancelSprintRun(world.actor, { sprint_run_id: run.id });
  const summary = "Say it louder";
  await reviewJob(world.actor, { job_id: job.id, verdict: "request_changes", summary });
  expect(await t.statusesOf("tasks", world.tasks)).toEqual(["TO_DO"]);
  await world.start();
  const again = await claim(world.actor);
  expect(again.review).toMatchObject([{ body: summary }]);
  expect(again.begins_from).toMatchObject([{ head_sha: "bbb" }]);
});

it("A batch of a cancelled run returns to the board when changes are requested", async () => {
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
  expect(await t.statusesOf("agent_jobs", [job])).toEqual(["QUEUED"]);
  await reviewJob(world.actor, { job_id: job.id, verdict: "request_changes", summary: "No" });
  expect(await t.statusesOf("tasks", world.tasks)).toEqual(["DONE", "TO_DO"]);
});

it("Work in review cannot be started or cancelled, and the refusal says what to do", async () => {
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

it("Work in review keeps no sprint open, and its review continues after the sprint is completed", async () => {
  const world = await seedJudged({ stories: [1] });
  const { run, job } = await waitForReview(world);
  await completeSprint(world.actor, { sprint_id: world.sprint.id });
  expect(await t.columnOf("sprint_runs", run.id, "status")).toBe("DONE");
  await reviewJob(world.actor, { job_id: job.id, verdict: "approve" });
  expect(await t.statusesOf("tasks", world.tasks)).toEqual(["DONE"]);
});

it("A sprint can be started while a task in it depends on work in review", async () => {
  const world = await seedJudged();
  const [first, second] = [at(world.tasks, 0), at(world.tasks, 1)];
  await addDependency(world.actor, { kind: "task", id: second.id, blocked_by: first.id });
  const { run } = await waitForReview(world);
  await cancelSprintRun(world.actor, { sprint_run_id: run.id });
  expect(await world.start()).toMatchObject({ jobs_total: 1 });
});

const verbs = ["start", "own", "pause", "go on", "cancel", "again", "skip", "done", "fail"] as const;

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

it("Nothing ever gives out a task that waits for a review", { tags: "thorough", timeout: 300_000 }, async () => {
  const run = fc.array(fc.constantFrom(...verbs), { minLength: 6, maxLength: 24 });
  const seeds = fc.constantFrom("SPRINT" as const, "STORY" as const);
  await fc.assert(
    fc.asyncProperty(seeds, run, async (strategy, steps) => {
      const world = await seedJudged({ strategy, stories: [1, 1, 1] });
      for (const step of steps) {
        const before = await t.statusesOf("tasks", world.tasks);
        const claimed: string[] = [];
        await act(world, step, claimed).catch((error: unknown) => {
          if (!(error instanceof ContractError)) throw error;
        });
        const after = await t.statusesOf("tasks", world.tasks);
        for (const [place, { id }] of world.tasks.entries()) {
          if (before[place] !== "REVIEW") continue;
          expect([after[place], claimed.includes(id)]).toEqual(["REVIEW", false]);
        }
      }
    }),
    { numRuns: 40 },
  );
});
