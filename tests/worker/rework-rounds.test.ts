import { join } from "node:path";
import { expect, it } from "vitest";
import { updateProduct } from "~/nouns/products/operations.server";
import { reviewJob } from "~/nouns/reviews/operations.server";
import {
  cancelSprintRun,
  pauseSprintRun,
  resumeSprintRun,
  startRun,
  startSprintRun,
} from "~/nouns/sprint-runs/operations.server";
import { completeSprint, startSprint } from "~/nouns/sprints/operations.server";
import { addStoryToSprint, removeStoryFromSprint } from "~/nouns/stories/operations.server";
import { makeBarrier } from "./barrier";
import { openMachines } from "./rework-scene";

const { actor, home, shared, start, work, product, parentsOf } = await openMachines();
const line = 'echo line >> "$BACKLOOM_TASK_CODE.txt"';

it("Ten rounds of review on one story, in three runs and two sprints, each begin at the judged commit", async () => {
  const p = await product("ROUNDS", "STORY", [1]);
  await updateProduct(actor, { product_id: p.id, done_requires: "person" });
  const task_id = await p.idOf("tasks", "T-1");
  const story_id = await p.idOf("stories", "ST-1");
  const [before, after] = [await p.idOf("sprints", "SP-1"), await p.idOf("sprints", "SP-2")];
  let judged = shared("rev-parse", "main");
  let rounds = 0;

  /** The work is done, judged and sent back: within its run, which waits for the verdict. */
  const round = async (run: { id: string }, isLast = false) => {
    await work("ROUNDS", rounds % 2 === 0 ? "a" : "b", line, "--once");
    rounds += 1;
    const job = await p.jobOf("T-1");
    expect(job).toMatchObject({ sprint_run_id: run.id, status: "queued", phase: "review" });
    expect([rounds, ...parentsOf(String(job.head_sha))]).toEqual([rounds, judged]);
    judged = String(job.head_sha);
    if (isLast) await reviewJob(actor, { job_id: job.id, verdict: "approve" });
    else await p.requestChanges("T-1");
  };
  const pauseAndResume = async (run: { id: string }) => {
    await pauseSprintRun(actor, { sprint_run_id: run.id });
    await resumeSprintRun(actor, { sprint_run_id: run.id });
  };

  const first = await p.startRun();
  await round(first);
  await round(first);
  await pauseAndResume(first);
  await round(first);
  await round(first);
  const hold = makeBarrier(join(home, "rounds"));
  const worker = start("ROUNDS", "b", hold.script, "--once");
  await hold.reached(worker.output);
  await cancelSprintRun(actor, { sprint_run_id: first.id });
  await worker.ended;

  const { run: own } = await startRun(actor, { task_ids: [task_id] });
  expect(own.sprint_id).toBeNull();
  await round(own);
  await pauseAndResume(own);
  await round(own);
  await round(own);
  await cancelSprintRun(actor, { sprint_run_id: own.id });

  await removeStoryFromSprint(actor, { story_id });
  await addStoryToSprint(actor, { story_id, sprint_id: after });
  await completeSprint(actor, { sprint_id: before });
  await startSprint(actor, { sprint_id: after });
  const last = await startSprintRun(actor, { sprint_id: after });
  await round(last);
  await round(last);
  await round(last, true);

  expect(rounds).toBe(10);
  expect(await p.jobOf("T-1")).toMatchObject({ status: "done", task_status: "done" });
  expect(shared("show", `${judged}:T-1.txt`).split("\n")).toHaveLength(10);
  expect(shared("rev-list", "--count", `main..${judged}`)).toBe("10");
}, 400_000);
