import { describe, expect, it } from "vitest";
import { verifyTaskAgainstPlan } from "~/nouns/agent-jobs/operations.server";
import { createTestDatabase } from "../../setup/database";
import { refusalOf, statusOf } from "../refusal";

const t = await createTestDatabase();

describe("the verification gate", () => {
  const cases = [
    ["ALIGNED", "ALIGNED", "done"],
    ["ALIGNED", "PARTIAL", 422],
    ["ALIGNED", "DIVERGENT", 422],
    ["ALIGNED", undefined, 422],
    ["ALIGNED_OR_PARTIAL", "ALIGNED", "done"],
    ["ALIGNED_OR_PARTIAL", "PARTIAL", "done"],
    ["ALIGNED_OR_PARTIAL", "DIVERGENT", 422],
    ["ALIGNED_OR_PARTIAL", undefined, 422],
    ["ANY", "ALIGNED", "done"],
    ["ANY", "PARTIAL", "done"],
    ["ANY", "DIVERGENT", "done"],
    ["ANY", undefined, "done"],
    ["ALIGNED", "EMPTY", "skipped"],
    ["ANY", "EMPTY", "skipped"],
  ] as const;

  it.each(cases)("%s with %s: %s", async (required, result, outcome) => {
    const { report, task, job } = await t.holdJob({
      stories: [1],
      task: { p_verify_required: required },
    });
    const attempt = report({ status: "done", verify_result: result });
    if (outcome === 422) {
      const refusal = await refusalOf(attempt);
      expect(refusal.status).toBe(422);
      expect(refusal.message).toContain("Not done yet");
      expect(await t.columnOf("agent_jobs", job.id, "status")).toBe("CLAIMED");
      expect(await t.columnOf("tasks", task.id, "status")).toBe("IN_PROGRESS");
    } else {
      expect((await attempt).status).toBe(outcome);
    }
  });

  it("lets an empty diff pass when the task only verifies", async () => {
    const { report } = await t.holdJob({ stories: [1], task: { p_verify_only: true } });
    expect((await report({ status: "done", verify_result: "EMPTY" })).status).toBe("done");
  });

  it("uses what verify_task_against_plan found", async () => {
    const { world, job, report } = await t.holdJob();
    const of = (rest: object) =>
      verifyTaskAgainstPlan(world.actor, { job_id: job.id, attempt: 1, ...rest });
    expect(await of({ changed_files: [] })).toMatchObject({
      verify_result: "EMPTY",
      passes: true,
      report: "skipped",
    });
    expect(await of({ changed_files: ["README.md"] })).toMatchObject({
      verify_result: "DIVERGENT",
      passes: false,
      report: null,
    });
    expect(await of({ changed_files: ["src/part-1-1.ts", "test/x.ts"] })).toMatchObject({
      verify_result: "ALIGNED",
      passes: true,
      report: "done",
      plan: "Change src/part-1-1.ts",
    });
    await t.query`update agent_jobs set plan_snapshot = ${"Change „doc/größe.md“ and src/日本.ts"}
      where id = ${job.id}`;
    const named = { changed_files: ["doc/größe.md", "src/日本.ts"] };
    expect(await of(named)).toMatchObject({ verify_result: "ALIGNED" });
    expect(await of({ verify_result: "PARTIAL", evidence: { tests: "passed" } })).toMatchObject({
      verify_result: "PARTIAL",
    });
    expect(await statusOf(of({}))).toBe(422);
    const done = await report({ status: "done" });
    expect(done).toMatchObject({ verify_result: "PARTIAL", evidence: { tests: "passed" } });
  });
});
