import { describe, expect, it } from "vitest";
import { reportAgentJob } from "~/nouns/agent-jobs/operations.server";
import {
  cancelSprintRun,
  pauseSprintRun,
  resumeSprintRun,
} from "~/nouns/sprint-runs/operations.server";
import { createTestDatabase } from "../../setup/database";
import { claim } from "../../setup/world";
import { statusOf } from "../refusal";

const t = await createTestDatabase();

const states = [
  "queued",
  "running",
  "paused",
  "paused with a claim",
  "done",
  "failed",
  "cancelled",
] as const;
type State = (typeof states)[number];

/** A run of one task, brought to a state on the way that workers and people take. */
async function runIn(state: State) {
  const { actor, start } = await t.seedSprint({ stories: [1] });
  const { id } = await start();
  const run = { sprint_run_id: id };
  const isClaimed = !["queued", "paused", "cancelled"].includes(state);
  const job = isClaimed ? await claim(actor) : undefined;
  const end = (status: "done" | "failed") =>
    reportAgentJob(actor, {
      job_id: job?.id ?? "",
      attempt: 1,
      status,
      verify_result: "ALIGNED",
    });
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

const changes: [from: State, act: Act, to: string][] = [
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
const isChange = (from: State, act: Act) => changes.some(([f, a]) => f === from && a === act);
const refusals = states.flatMap((state) =>
  decisions.filter((act) => !isChange(state, act)).map((act) => [state, act] as const),
);

describe("a run", () => {
  it.each(changes)("that is %s, after %s: %s", async (from, act, to) => {
    const { acts, status } = await runIn(from);
    await acts[act]();
    expect(await status()).toBe(to);
  });

  it.each(refusals)("that is %s refuses %s", async (from, act) => {
    const { acts, status } = await runIn(from);
    const before = await status();
    expect(await statusOf(acts[act]())).toBe(409);
    expect(await status()).toBe(before);
  });
});
