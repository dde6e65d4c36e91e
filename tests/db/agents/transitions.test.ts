import { describe, expect, it } from "vitest";
import { cancelAgentJob, reportAgentJob, updateTaskExecution } from "~/nouns/agent-jobs/operations.server";
import { cancelSprintRun, getSprintRun, pauseSprintRun, resumeSprintRun } from "~/nouns/sprint-runs/operations.server";
import { createTestDatabase } from "../../setup/database";
import { at, claim } from "../../setup/world";
import { statusOf } from "../refusal";
import { later, minutes, serviceAt } from "./fixed-clock";

const t = await createTestDatabase();

const states = ["queued", "claimed", "running", "done", "failed", "skipped", "cancelled"] as const;
type State = (typeof states)[number];
const reports = ["running", "done", "failed", "skipped"] as const;
type Report = (typeof reports)[number];

/** The first job of a run, brought to a state on the way that workers and people take. */
async function jobIn(state: State) {
  const world = await t.seedSprint({ strategy: "STORY", stories: [1, 1] });
  const run = await world.start();
  const { jobs } = await getSprintRun(world.actor, { sprint_run_id: run.id });
  const id = at(jobs, 0).id;
  const say = (status: Report) => {
    const verify_result = status === "skipped" ? "EMPTY" : "ALIGNED";
    return reportAgentJob(world.actor, { job_id: id, attempt: 1, status, verify_result });
  };
  if (state === "cancelled") await cancelAgentJob(world.actor, { job_id: id });
  else if (state !== "queued") await claim(world.actor);
  if (["running", "done", "failed", "skipped"].includes(state)) await say("running");
  if (state === "done" || state === "failed" || state === "skipped") await say(state);
  const status = async () => String(await t.columnOf("agent_jobs", id, "status")).toLowerCase();
  expect(await status()).toBe(state);
  return { world, run, id, say, status, task: at(world.tasks, 0) };
}

/** Where a report leads; everything that is not listed is refused. */
const ways: Record<State, readonly Report[]> = {
  queued: [],
  claimed: reports,
  running: reports,
  // The same word again is fine and changes nothing.
  done: ["done"],
  failed: ["failed"],
  skipped: ["skipped"],
  cancelled: [],
};

it.each(states.flatMap((state) => reports.map((report) => [state, report] as const)))(
  "A %s job takes a report of %s only where the list of its transitions allows it",
  async (state, report) => {
    const { say, status } = await jobIn(state);
    const isAllowed = ways[state].includes(report);
    if (isAllowed) expect((await say(report)).status).toBe(report);
    else expect(await statusOf(say(report))).toBe(409);
    expect(await status()).toBe(isAllowed ? report : state);
  },
);

it.each([
  ["queued", "cancelled"],
  ["claimed", "cancelled"],
  ["running", "cancelled"],
  ["done", "done"],
  ["skipped", "skipped"],
  ["cancelled", "cancelled"],
] as const)("A cancelled run leaves its %s job %s", async (state, then) => {
  const { world, run, status, id } = await jobIn(state);
  await cancelSprintRun(world.actor, { sprint_run_id: run.id });
  expect(await status()).toBe(then);
  expect(await t.columnOf("agent_jobs", id, "finished_at")).not.toBeNull();
});

it.each([
  ["queued", "cancelled"],
  ["claimed", 409],
  ["running", 409],
  ["done", 409],
  ["failed", 409],
  ["skipped", 409],
] as const)("The cancellation of a single %s job ends with: %s", async (state, outcome) => {
  const { world, id, status } = await jobIn(state);
  const cancel = cancelAgentJob(world.actor, { job_id: id });
  if (outcome === 409) expect(await statusOf(cancel)).toBe(409);
  else expect((await cancel).status).toBe(outcome);
  expect(await status()).toBe(outcome === 409 ? state : outcome);
});

it.each(states)("The end of the lease returns a %s job to the queue only if a worker holds it", async (state) => {
  const { id, status } = await jobIn(state);
  const isHeld = state === "claimed" || state === "running";
  await serviceAt(t, later(new Date(), minutes(6)), "sweep()");
  expect(await status()).toBe(isHeld ? "queued" : state);
  expect(await t.columnOf("agent_jobs", id, "retry_count")).toBe(isHeld ? 1 : 0);
});

describe("the task of a job", () => {
  const froms = ["TO_DO", "IN_PROGRESS", "REVIEW", "DONE"] as const;
  /** What becomes of a task in each of these statuses; a task that is done does not fail. */
  const ends: Record<Report, string> = {
    running: "IN_PROGRESS IN_PROGRESS REVIEW DONE",
    done: "DONE DONE DONE DONE",
    skipped: "REVIEW REVIEW REVIEW DONE",
    failed: "FAILED FAILED FAILED",
  };
  const cases = reports.flatMap((said) => ends[said].split(" ").map((to, n) => [at(froms, n), said, to] as const));

  it.each(cases)("A %s task whose job is reported %s is then %s", async (from, said, to) => {
    const { say, task } = await jobIn("claimed");
    await t.query`update public.tasks set status = ${from} where id = ${task.id}`;
    await say(said);
    expect(await t.columnOf("tasks", task.id, "status")).toBe(to);
  });

  it.each([
    ["TO_DO", "IN_PROGRESS"],
    ["IN_PROGRESS", "IN_PROGRESS"],
    ["REVIEW", "REVIEW"],
    ["DONE", "DONE"],
  ])("A %s task whose job is claimed is then %s", async (from, to) => {
    const { world, task } = await jobIn("queued");
    await t.query`update public.tasks set status = ${from} where id = ${task.id}`;
    expect((await claim(world.actor)).task?.id).toBe(task.id);
    expect(await t.columnOf("tasks", task.id, "status")).toBe(to);
  });
});

const executionStates = ["pending", "running", "done", "failed", "skipped"] as const;

async function executionIn(state: (typeof executionStates)[number]) {
  const { world, attempt, job, task } = await t.holdJob({ strategy: "SPRINT_BATCH", stories: [2] });
  const say = (status: Report) => {
    const verify_result = status === "skipped" ? "EMPTY" : "ALIGNED";
    return updateTaskExecution(world.actor, { ...attempt, task_id: task.id, status, verify_result });
  };
  if (state !== "pending") await say(state);
  const id = job.executions?.[0]?.id ?? "";
  const status = async () => String(await t.columnOf("task_executions", id, "status")).toLowerCase();
  expect(await status()).toBe(state);
  return { say, status, id, task };
}

/** Where a report leads; everything that is not listed is refused. The same word again changes nothing. */
const executionWays: Record<(typeof executionStates)[number], readonly Report[]> = {
  pending: reports,
  running: reports,
  done: ["done"],
  failed: ["failed"],
  skipped: ["skipped"],
};
const taskStatuses = { running: "IN_PROGRESS", done: "DONE", failed: "FAILED", skipped: "REVIEW" };

it.each(executionStates.flatMap((state) => reports.map((report) => [state, report] as const)))(
  "A %s execution takes a report of %s only where the list of its transitions allows it",
  async (state, report) => {
    const { say, status, id, task } = await executionIn(state);
    if (!executionWays[state].includes(report)) {
      expect(await statusOf(say(report))).toBe(409);
      expect(await status()).toBe(state);
      return;
    }
    expect((await say(report)).status).toBe(report);
    expect(await status()).toBe(report);
    expect(await t.columnOf("tasks", task.id, "status")).toBe(taskStatuses[report]);
    const finished = await t.columnOf("task_executions", id, "finished_at");
    expect(finished !== null).toBe(report !== "running");
  },
);

const runStates = ["queued", "running", "paused", "paused with a claim", "done", "failed", "cancelled"] as const;
type RunState = (typeof runStates)[number];

/** A run of one task, brought to a state on the way that workers and people take. */
async function runIn(state: RunState) {
  const { actor, start } = await t.seedSprint({ stories: [1] });
  const { id } = await start();
  const run = { sprint_run_id: id };
  const isClaimed = !["queued", "paused", "cancelled"].includes(state);
  const job = isClaimed ? await claim(actor) : undefined;
  const end = (status: "done" | "failed") =>
    reportAgentJob(actor, { job_id: job?.id ?? "", attempt: 1, status, verify_result: "ALIGNED" });
  if (state.startsWith("paused")) await pauseSprintRun(actor, run);
  if (state === "done" || state === "failed") await end(state);
  if (state === "cancelled") await cancelSprintRun(actor, run);
  const status = async () => String(await t.columnOf("sprint_runs", id, "status")).toLowerCase();
  expect(await status()).toBe(state.split(" ")[0]);
  const acts = {
    "a claim": () => claim(actor),
    "the end of its last job": () => end("done"),
    "the failure of a job": () => end("failed"),
    pause: () => pauseSprintRun(actor, run),
    resume: () => resumeSprintRun(actor, run),
    cancel: () => cancelSprintRun(actor, run),
  };
  return { acts, status };
}

type Act = keyof Awaited<ReturnType<typeof runIn>>["acts"];

const changes: [from: RunState, act: Act, to: string][] = [
  ["queued", "a claim", "running"],
  ["queued", "pause", "paused"],
  ["queued", "cancel", "cancelled"],
  ["running", "the end of its last job", "done"],
  ["running", "the failure of a job", "failed"],
  ["running", "pause", "paused"],
  ["running", "cancel", "cancelled"],
  ["paused", "resume", "queued"],
  ["paused", "cancel", "cancelled"],
  ["paused with a claim", "resume", "running"],
  ["paused with a claim", "the end of its last job", "paused"],
  ["paused with a claim", "the failure of a job", "failed"],
  ["paused with a claim", "cancel", "cancelled"],
];
const decisions = ["pause", "resume", "cancel"] as const;
const isChange = (from: RunState, act: Act) => changes.some(([f, a]) => f === from && a === act);
const refusals = runStates.flatMap((state) =>
  decisions.filter((act) => !isChange(state, act)).map((act) => [state, act] as const),
);

it.each(changes)("A run that was %s before %s is then %s", async (from, act, to) => {
  const { acts, status } = await runIn(from);
  await acts[act]();
  expect(await status()).toBe(to);
});

it.each(refusals)("A run that is %s refuses to %s", async (from, act) => {
  const { acts, status } = await runIn(from);
  const before = await status();
  expect(await statusOf(acts[act]())).toBe(409);
  expect(await status()).toBe(before);
});
