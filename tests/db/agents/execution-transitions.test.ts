import { describe, expect, it } from "vitest";
import { updateTaskExecution } from "~/nouns/agent-jobs/operations.server";
import { createTestDatabase } from "../../setup/database";
import { statusOf } from "../refusal";

const t = await createTestDatabase();

const states = ["pending", "running", "done", "failed", "skipped"] as const;
const reports = ["running", "done", "failed", "skipped"] as const;
type Report = (typeof reports)[number];

async function executionIn(state: (typeof states)[number]) {
  const { world, attempt, job, task } = await t.holdJob({
    strategy: "SPRINT_BATCH",
    stories: [2],
  });
  const say = (status: Report) =>
    updateTaskExecution(world.actor, {
      ...attempt,
      task_id: task.id,
      status,
      verify_result: status === "skipped" ? "EMPTY" : "ALIGNED",
    });
  if (state !== "pending") await say(state);
  const id = job.executions?.[0]?.id ?? "";
  const status = async () =>
    String(await t.columnOf("task_executions", id, "status")).toLowerCase();
  expect(await status()).toBe(state);
  return { say, status, id, task };
}

/** Where a report leads; everything that is not listed is refused. The same word again changes nothing. */
const ways: Record<(typeof states)[number], readonly Report[]> = {
  pending: reports,
  running: reports,
  done: ["done"],
  failed: ["failed"],
  skipped: ["skipped"],
};
const tasks = { running: "IN_PROGRESS", done: "DONE", failed: "FAILED", skipped: "REVIEW" };

describe("an execution record", () => {
  it.each(states.flatMap((state) => reports.map((report) => [state, report] as const)))(
    "that is %s, when the worker says %s",
    async (state, report) => {
      const { say, status, id, task } = await executionIn(state);
      if (!ways[state].includes(report)) {
        expect(await statusOf(say(report))).toBe(409);
        expect(await status()).toBe(state);
        return;
      }
      expect((await say(report)).status).toBe(report);
      expect(await status()).toBe(report);
      expect(await t.columnOf("tasks", task.id, "status")).toBe(tasks[report]);
      const finished = await t.columnOf("task_executions", id, "finished_at");
      expect(finished !== null).toBe(report !== "running");
    },
  );
});
