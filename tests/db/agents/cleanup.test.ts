import { createHash } from "node:crypto";
import type pg from "pg";
import { expect, it } from "vitest";
import { claimAgentJob, reportAgentJob, reportMerged, updateTaskExecution } from "~/nouns/agent-jobs/operations.server";
import { addFile } from "~/nouns/files/operations.server";
import { updateProduct } from "~/nouns/products/operations.server";
import { getProof } from "~/nouns/proof/operations.server";
import { reviewJob } from "~/nouns/reviews/operations.server";
import { cancelSprintRun, pauseSprintRun, resumeSprintRun, startRun } from "~/nouns/sprint-runs/operations.server";
import { updateTask } from "~/nouns/tasks/operations.server";
import { ContractError } from "~/wire/errors";
import { createTestDatabase } from "../../setup/database";
import { numbersFrom } from "../../setup/drawn-numbers";
import { at, claim, claimRefusal, type SprintWorld, wait, waitStory } from "../../setup/world";
import { atTime, days, later, serviceAt } from "./fixed-clock";

const t = await createTestDatabase();
const seeds = Array.from({ length: 6 * Number(process.env.RACE_ROUNDS ?? 1) }, (_, n) => n + 1);
const strategies = ["SPRINT_BATCH", "STORY", "SPRINT"] as const;
const criterion = createHash("sha256").update("Works").digest("hex").slice(0, 12);

/** What later answers are made of: where work begins, what it joins, what is waited for, what is proven and decided. */
async function answersOf(client: pg.PoolClient, productId: string): Promise<unknown> {
  const { rows } = await client.query(
    `select
      (select jsonb_agg(jsonb_build_array(s.code, private.beginnings(array[s.id]), private.story_branch(s.id),
          exists (select from private.jobs_of_story(s.id) j where j.merged_at is not null),
          exists (select from private.unlanded_work(array[s.id])),
          (select jsonb_agg(to_jsonb(c) order by c.place) from private.story_proof(s.id) c)) order by s.code)
        from public.stories s where s.product_id = $1) as stories,
      (select jsonb_agg(to_jsonb(b) order by b.task_id, b.blocker_id) from private.task_blockers b
        join public.tasks x on x.id = b.task_id where x.product_id = $1) as blockers,
      (select jsonb_agg(jsonb_build_array(x.code, to_jsonb(w)) order by x.code, w.branch) from public.tasks x
        cross join private.unmerged_works('task', x.id) w where x.product_id = $1) as unmerged,
      (select jsonb_agg(jsonb_build_array(j.id, j.open_blockers, private.base_refs(j), private.begins_from(j), private.review_payload(j),
          private.earlier_jobs(j, (select r.sprint_id from public.sprint_runs r where r.id = j.sprint_run_id))) order by j.id)
        from public.agent_jobs j where j.product_id = $1 and j.status in ('QUEUED', 'CLAIMED', 'RUNNING')) as claims`,
    [productId],
  );
  return rows[0];
}

/** The answers of a product before and after the cleanup a month later, which then never happened. */
async function aroundCleanup(productId: string): Promise<{ before: unknown; after: unknown }> {
  return atTime(t, later(new Date(), days(30)), async (client) => {
    const before = await answersOf(client, productId);
    await client.query("savepoint untouched");
    await client.query("select operations.cleanup_agent_artifacts()");
    const after = await answersOf(client, productId);
    await client.query("rollback to savepoint untouched");
    return { before, after };
  });
}

interface Walk {
  world: SprintWorld;
  below: (n: number) => number;
  runs: string[];
  jobs: { id: string; head_sha: string }[];
}

const sha = (walk: Walk) =>
  String(walk.below(9_000_000) + 1_000_000)
    .repeat(6)
    .slice(0, 40);

/** Claims what there is, does some of it, and ends the attempt in one of the ways an attempt ends, or not at all. */
async function work(walk: Walk): Promise<void> {
  const { world, below } = walk;
  const { job } = await claimAgentJob(world.actor, { worker: `worker-${below(2)}` });
  if (job === null) return;
  const held = { job_id: job.id, attempt: job.attempt };
  for (const { task_id } of job.executions ?? []) {
    if (below(4) === 0) break;
    const head_sha = sha(walk);
    await updateTaskExecution(world.actor, { ...held, task_id, status: "done", verify_result: "ALIGNED", head_sha });
  }
  const head_sha = sha(walk);
  const pushed = { base_sha: "0".repeat(40), head_sha, pushed_at: new Date().toISOString() };
  const evidence = [
    { criterion, verdict: "pass" as const, command: "npm test", exit_code: 0, grade: "worker" as const },
  ];
  const status = at(["done", "done", "failed", "running"] as const, below(4));
  walk.jobs.push({ id: job.id, head_sha });
  await reportAgentJob(world.actor, {
    ...held,
    ...pushed,
    status,
    evidence,
    ...(status === "done" && { verify_result: "ALIGNED" as const }),
    ...(status === "failed" && { failure_class: "agent_error" as const }),
  });
}

const steps: ((walk: Walk) => Promise<unknown>)[] = [
  work,
  work,
  work,
  async ({ world, runs }) => {
    runs.push((await world.start()).id);
  },
  async ({ world, runs, below }) => {
    const task_ids = world.tasks.filter(() => below(2) === 0).map(({ id }) => id);
    runs.push((await startRun(world.actor, { task_ids })).run.id);
  },
  ({ world, runs, below }) =>
    at([pauseSprintRun, resumeSprintRun, cancelSprintRun, cancelSprintRun], below(4))(world.actor, {
      sprint_run_id: at(runs, runs.length - 1),
    }),
  ({ world, jobs, below }) =>
    reviewJob(world.actor, { job_id: at(jobs, below(jobs.length)).id, summary: "Say why", verdict: "request_changes" }),
  ({ world, jobs, below }) => reportMerged(world.actor, { job_id: at(jobs, below(jobs.length)).id }),
  ({ world, below }) =>
    updateTask(world.actor, {
      task_id: at(world.tasks, below(world.tasks.length)).id,
      status: at(["todo", "done"] as const, below(2)),
    }),
];

it.each(seeds)("The cleanup of jobs changes no answer in any run state (%i)", { tags: "thorough" }, async (seed) => {
  const below = numbersFrom(seed);
  const world = await t.seedSprint({ strategy: at(strategies, seed % 3), stories: [2, 2, 1] });
  await updateProduct(world.actor, {
    product_id: world.product.id,
    dependency_release: seed % 2 === 0 ? "done" : "merged",
  });
  await wait(world.actor, at(world.tasks, 2), at(world.tasks, 0));
  await waitStory(world.actor, at(world.stories, 2), at(world.stories, 0));
  const walk: Walk = { world, below, runs: [], jobs: [] };
  for (let n = 0; n < 24; n++) {
    const step = at(steps, n < 2 ? 3 - 3 * n : below(steps.length));
    await step(walk).catch((error: unknown) => {
      if (!(error instanceof ContractError)) throw error;
    });
    const { before, after } = await aroundCleanup(world.product.id);
    expect(after, `after step ${n}: ${step}`).toEqual(before);
  }
});

/** A batch that did its first task, whose second one a task of another story waits for, and the cleanup of what ended. */
async function batch(end: "under way" | "done" | "failed" | "cancelled") {
  const world = await t.seedSprint({ strategy: "SPRINT_BATCH", stories: [2, 1] });
  const [first, second, third] = [at(world.tasks, 0), at(world.tasks, 1), at(world.tasks, 2)];
  const run = await startRun(world.actor, { task_ids: [first.id, second.id], strategy: "SPRINT_BATCH" });
  const job = await claim(world.actor);
  const held = { job_id: job.id, attempt: job.attempt };
  const done = { status: "done" as const, verify_result: "ALIGNED" as const };
  await updateTaskExecution(world.actor, { ...held, ...done, task_id: first.id, head_sha: "a".repeat(40) });
  if (end === "cancelled") await cancelSprintRun(world.actor, { sprint_run_id: run.run.id });
  if (end === "failed") {
    await updateTaskExecution(world.actor, { ...held, task_id: second.id, status: "failed" });
    await updateTask(world.actor, { task_id: second.id, status: "todo" });
  }
  if (end === "done") {
    await updateTaskExecution(world.actor, { ...held, ...done, task_id: second.id });
    await reportAgentJob(world.actor, { ...held, ...done, base_sha: "0".repeat(40), head_sha: "b".repeat(40) });
  }
  return { world, first, second, third, job };
}

const cleanUp = () => serviceAt(t, later(new Date(), days(30)), "cleanup_agent_artifacts()");

it("The next run of a story begins from the work of a deleted job until that work is merged", async () => {
  const { world, second, job } = await batch("cancelled");
  await cleanUp();
  await startRun(world.actor, { task_ids: [second.id] });
  const next = await claim(world.actor);
  expect(next.begins_from).toMatchObject([{ task_code: "T-1", head_sha: "a".repeat(40) }]);
  expect((await reportMerged(world.actor, { job_id: job.id })).merged_at).toEqual(expect.any(String));
  await cancelSprintRun(world.actor, { sprint_run_id: String(next.sprint_run_id) });
  await startRun(world.actor, { task_ids: [second.id] });
  expect((await claim(world.actor)).begins_from).toEqual([]);
});

it("A product that waits for merges also waits for the work of a deleted job", async () => {
  const { world, first, third, job } = await batch("failed");
  await updateProduct(world.actor, { product_id: world.product.id, dependency_release: "merged" });
  await wait(world.actor, third, first);
  await cleanUp();
  const run = await startRun(world.actor, { task_ids: [third.id] });
  expect(await claimRefusal(world.actor)).toBe("dependency");
  expect((await reportMerged(world.actor, { job_id: job.id })).released).toEqual([third.code]);
  expect((await claim(world.actor)).sprint_run_id).toBe(run.run.id);
});

it.each(["under way", "done", "failed", "cancelled"] as const)(
  "A task that waited for a task of a batch begins with that work: the batch is %s",
  async (end) => {
    const { world, first, third } = await batch(end);
    await wait(world.actor, third, first);
    await startRun(world.actor, { task_ids: [third.id] });
    const head = (end === "done" ? "b" : "a").repeat(40);
    expect((await claim(world.actor, "worker-2")).base_refs).toMatchObject([{ task_code: first.code, head_sha: head }]);
  },
);

it("Evidence of a deleted job still proves its criterion and keeps its file", async () => {
  const { world, run, job, attempt } = await t.holdJob({ stories: [1] });
  const story = at(world.stories, 0);
  const { id: file } = await addFile(world.actor, {
    product_id: world.product.id,
    job_id: job.id,
    name: "shot.txt",
    type: "text/plain",
    content: Buffer.from("as it should be").toString("base64"),
  });
  const seen = {
    criterion,
    verdict: "pass" as const,
    command: "npm test",
    exit_code: 0,
    grade: "worker" as const,
    file,
  };
  await reportAgentJob(world.actor, {
    ...attempt,
    status: "running",
    head_sha: "b".repeat(40),
    evidence: [{ ...seen, head_sha: "a".repeat(40) }],
  });
  await reportAgentJob(world.actor, { ...attempt, status: "failed" });
  const before = await getProof(world.actor, { story_id: story.id });
  expect(before.criteria[0]).toMatchObject({ state: "proven" });
  expect((await cleanUp()).deleted).toBeGreaterThan(0);
  expect(await getProof(world.actor, { story_id: story.id })).toMatchObject({
    ...before,
    criteria: before.criteria.map((one) => ({ ...one, evidence: expect.anything() })),
  });
  expect(await t.columnOf("files", file, "story_id")).toBe(story.id);
  expect(await t.columnOf("sprint_runs", run.id, "failure")).toMatchObject({ task_code: "T-1", job_id: null });
});

it("Every table that refers to jobs is known to go or to stay when a job is deleted", async () => {
  const rows = await t.query<{ name: string }>`
      select format('%s: %s', k.conrelid::regclass, case k.confdeltype when 'c' then 'goes' else 'stays' end) as name
      from pg_constraint k where k.confrelid = 'public.agent_jobs'::regclass and k.contype = 'f' order by 1`;
  expect(rows.map(({ name }) => name)).toEqual(
    `agent_messages: stays | agent_questions: stays | budget_reservations: goes | files: goes |
    job_attempts: goes | job_comments: goes | job_conflicts: goes | job_conflicts: stays | job_guides: goes |
    job_reviews: goes | landings: goes | lessons: stays | pending_verdicts: goes | previews: goes |
    pull_reactions: stays | usage_events: stays | usage_so_far: goes | user_questions: stays |
    viewed_files: goes`.split(/\s*\|\s*/),
  );
});
