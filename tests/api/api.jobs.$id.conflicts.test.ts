import { expect, it } from "vitest";
import {
  claimAgentJob,
  getAgentJob,
  reportAgentJob,
  verifyTaskAgainstPlan,
  whyNotMoving,
} from "~/nouns/agent-jobs/operations.server";
import { answerQuestion, cancelQuestion } from "~/nouns/questions/operations.server";
import { getSprintRun } from "~/nouns/sprint-runs/operations.server";
import type { AgentJob } from "~/wire/agent-jobs/contract";
import { conflictDecisionSchema } from "~/wire/agent-jobs/job-conflict";
import { statusOf } from "../db/refusal";
import { openApp } from "../setup/app";
import { at, bearer, claim } from "../setup/world";

const { t, app } = await openApp();
const rounds = Number(process.env.RACE_ROUNDS ?? 3);

const sha = (letter: string) => letter.repeat(40);
const inOrder = { path: "same", ours: "one\n", theirs: "two\n" };
const of = ({ branch, task }: Awaited<ReturnType<typeof claim>>) => ({
  kind: "sibling",
  branch,
  task_code: task?.code,
});

/** A run with a branch a story; both of its jobs are held by workers that have verified their work. */
async function scene({ verified = [true, true] }: { verified?: boolean[] } = {}) {
  const world = await t.seedSprint({ strategy: "STORY", stories: [1, 1, 1] });
  const token = await t.createToken(world.owner);
  const run = await world.start();
  const jobs = [await claim(world.actor, "worker-1"), await claim(world.actor, "worker-2")];
  const verify = async ({ id, attempt }: { id: string; attempt: number }) =>
    verifyTaskAgainstPlan(world.actor, { job_id: id, attempt, verify_result: "ALIGNED", changed_files: ["same"] });
  for (const [index, isVerified] of verified.entries()) {
    if (isVerified) await verify(at(jobs, index));
  }
  type Said = { id: string; attempt: number; branch: string | null };
  const body = (ours: Said, theirs: Said, more: object = {}) => ({
    attempt: ours.attempt,
    kind: "sibling",
    branch: theirs.branch,
    ours_sha: sha("a"),
    theirs_sha: sha("b"),
    files: [inOrder],
    ...more,
  });
  const post = (ours: Said, given: unknown) => app.send("POST", `/api/jobs/${ours.id}/conflicts`, given, bearer(token));
  const tell = async (ours: Said, theirs: Said, more: object = {}) => {
    const response = await post(ours, body(ours, theirs, more));
    expect(response.status).toBe(200);
    return conflictDecisionSchema.parse(await response.json());
  };
  const done = ({ id, attempt }: Said): Promise<AgentJob> =>
    reportAgentJob(world.actor, { job_id: id, attempt, status: "done", head_sha: sha("b") });
  const read = () => getSprintRun(world.actor, { sprint_run_id: run.id });
  return { world, first: at(jobs, 0), second: at(jobs, 1), verify, body, post, tell, done, read };
}

it("A conflicting job returns to the head of the queue with both versions and no retry counted", async () => {
  const { world, first, second, tell, done, read } = await scene();
  await done(first);
  expect(await tell(second, first)).toEqual({ decision: "home", task_id: first.task_id, task_code: first.task?.code });
  const again = await claim(world.actor, "worker-3");
  expect(again).toMatchObject({
    id: second.id,
    attempt: 2,
    retry_count: 0,
    previous_failure: null,
    conflicts: [{ ...of(first), ours_sha: sha("a"), theirs_sha: sha("b"), files: [inOrder] }],
  });
  expect((await read()).status).toBe("running");
});

it("A run pauses after two failed tries to resolve a conflict, and names its files and tasks", async () => {
  const { world, first, second, tell, verify, done, read } = await scene();
  await done(first);
  const said: string[] = [];
  for (const attempt of [1, 2, 3]) {
    if (attempt > 1) await verify(await claim(world.actor, "worker-3"));
    said.push((await tell({ ...second, attempt }, first)).decision);
  }
  expect(said).toEqual(["home", "home", "paused"]);
  expect(await read()).toMatchObject({
    status: "paused",
    pause_context: { reason: "merge_conflict", conflict_files: ["same"], tasks: [second.task?.code, first.task?.code] },
  });
  const { job } = await claimAgentJob(world.actor, { worker: "worker-3" });
  expect(job).toBeNull();
});

it.each([
  ["Resume run", "queued", { holder: null, status: "queued" }],
  ["Cancel run", "cancelled", { status: "cancelled" }],
  ["I take it over", "queued", { holder: "person", status: "queued" }],
])("A run that a conflict has paused keeps asking until a person chooses: %s", async (label, status, held) => {
  const { world, first, second, tell, verify, done, read } = await scene();
  await done(first);
  for (const attempt of [1, 2, 3]) {
    if (attempt > 1) await verify(await claim(world.actor, "worker-3"));
    await tell({ ...second, attempt }, first);
  }
  const { pause_question: asked } = await read();
  const labels = asked?.options.map((option) => option.label) ?? [];
  expect(labels).toEqual(["Resume run", "Cancel run", "I take it over"]);
  expect(asked).toMatchObject({ asked_by: null, needs_option: true, status: "open" });
  expect(asked?.options[2]?.description).toContain(`take ${second.task?.code}`);
  const question = { question_id: String(asked?.id) };
  expect(await statusOf(answerQuestion(world.actor, { ...question, answer: "Go on" }))).toBe(422);
  expect(await statusOf(cancelQuestion(world.actor, question))).toBe(409);
  expect(await read()).toMatchObject({ status: "paused", pause_question: { status: "open" } });
  const answer = { ...question, option: labels.indexOf(label) };
  expect(await answerQuestion(world.actor, answer)).toMatchObject({ status: "answered" });
  expect((await read()).status).toBe(status);
  expect(await getAgentJob(world.actor, { job_id: second.id })).toMatchObject(held);
  const task = { task: String(second.task?.code), product: world.product.code };
  if (label === "Cancel run") return;
  const [reason] = (await whyNotMoving(world.actor, { kind: "job", id: second.id })).reasons;
  const isMine = label === "I take it over";
  expect(reason?.code === "held").toBe(isMine);
  if (isMine) {
    expect(reason?.command).toBe(`node ~/backloom-worker.mjs take ${task.task}`);
    expect((await claim(world.actor, "worker-3")).id).not.toBe(second.id);
    const taken = await app.send("POST", "/api/jobs/take", task, bearer(await t.createToken(world.owner)));
    expect(await taken.json()).toMatchObject({ job: { id: second.id } });
  }
});

it("Of two conflicting jobs, the first to finish continues and the other gets the conflict next", async () => {
  const { world, first, second, tell, done } = await scene({ verified: [true, false] });
  expect((await tell(first, second)).decision).toBe("go_on");
  await done(first);
  await reportAgentJob(world.actor, { job_id: second.id, attempt: 1, status: "failed", failure_class: "rate_limited" });
  await t.query`update public.agent_jobs set not_before = null`;
  const again = await claim(world.actor, "worker-2");
  const files = [{ path: "same", ours: "two\n", theirs: "one\n" }];
  expect(again.conflicts).toMatchObject([{ ...of(first), ours_sha: sha("b"), theirs_sha: sha("a"), files }]);
});

it("A conflict with a branch of the run on which no one works lets the job continue", async () => {
  const { first, tell } = await scene();
  expect((await tell(first, { ...first, branch: "backloom/no one" })).decision).toBe("go_on");
});

it("A conflict with the main branch or the job's own branch returns the job to the queue", async () => {
  for (const kind of ["base", "branch"]) {
    const { first, tell, read } = await scene();
    expect(await tell(first, first, { kind })).toMatchObject({ decision: "home", task_code: null });
    expect((await read()).jobs[0]).toMatchObject({ status: "queued", retry_count: 0 });
  }
});

it("A conflict report of a lost attempt gets 409, and one that is not a conflict 422", async () => {
  const { first, second, body, post } = await scene();
  expect((await post(first, body({ ...first, attempt: 9 }, second))).status).toBe(409);
  for (const wrong of [{ files: [] }, { kind: "other" }, { ours_sha: "--help" }]) {
    expect((await post(first, body(first, second, wrong))).status).toBe(422);
  }
  const long = { files: [{ path: "same", ours: "x".repeat(7_000) }] };
  expect((await post(first, body(first, second, long))).status).toBe(422);
});

it("Of two conflicting jobs that finish at the same moment, exactly one returns to the queue", async () => {
  for (let round = 0; round < rounds; round++) {
    const { first, second, tell, read } = await scene();
    const decisions = await Promise.all([tell(first, second), tell(second, first)]);
    expect(decisions.map(({ decision }) => decision).sort()).toEqual(["go_on", "home"]);
    const statuses = (await read()).jobs.map(({ status }) => status).sort();
    expect(statuses).toEqual(["claimed", "queued", "queued"]);
  }
});

it("A job that reports a conflict while the other job finishes is the one to resolve it", async () => {
  for (let round = 0; round < rounds; round++) {
    const { first, second, tell, done } = await scene();
    const [, { decision }] = await Promise.all([done(first), tell(second, first)]);
    expect(decision).toBe("home");
  }
});
