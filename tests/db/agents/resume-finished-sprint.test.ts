import { expect, it } from "vitest";
import { reportAgentJob } from "~/nouns/agent-jobs/operations.server";
import { addDependency } from "~/nouns/dependencies/operations.server";
import { resumeSprint, startSprintRun } from "~/nouns/sprint-runs/operations.server";
import { completeSprint } from "~/nouns/sprints/operations.server";
import { createTestDatabase } from "../../setup/database";
import { at, claim } from "../../setup/world";

const t = await createTestDatabase();

it.each(["SPRINT", "SPRINT_BATCH"] as const)(
  "a failed %s sprint that people finished by hand is active again without a run, and can be completed",
  async (strategy) => {
    const { actor, sprint, tasks } = await t.seedSprint({ stories: [1], strategy });
    const sprint_id = sprint.id;
    await startSprintRun(actor, { sprint_id });
    const job = await claim(actor);
    await reportAgentJob(actor, { job_id: job.id, attempt: 1, status: "failed" });
    expect(await t.columnOf("sprints", sprint_id, "status")).toBe("FAILED");
    const task_id = at(tasks, 0).id;
    if ((await t.columnOf("tasks", task_id, "status")) !== "DONE") {
      await t.query`update public.tasks set status = 'DONE' where id = ${task_id}`;
    }
    expect(await resumeSprint(actor, { sprint_id })).toBeNull();
    expect(await t.columnOf("sprints", sprint_id, "status")).toBe("ACTIVE");
    expect((await completeSprint(actor, { sprint_id })).status).toBe("completed");
  },
);

it("a failed sprint continues without what failed and what that blocks, and fails nothing where nothing is left", async () => {
  const { actor, sprint, tasks } = await t.seedSprint({ stories: [2, 1] });
  const sprint_id = sprint.id;
  const [first, second, third] = tasks.map(({ id }) => id);
  await addDependency(actor, { kind: "task", id: second ?? "", blocked_by: first ?? "" });
  await startSprintRun(actor, { sprint_id });
  const fail = async () => {
    const job = await claim(actor);
    await reportAgentJob(actor, { job_id: job.id, attempt: 1, status: "failed" });
    return job.task_id;
  };
  expect(await fail()).toBe(first);
  const run = await resumeSprint(actor, { sprint_id, skip_failed: true });
  expect(run?.jobs_total).toBe(1);
  expect(await t.columnOf("tasks", first ?? "", "status")).toBe("TO_DO");
  expect(await fail()).toBe(third);
  await t.query`update public.tasks set status = 'DONE' where id = any (${[first, second]})`;
  expect(await resumeSprint(actor, { sprint_id, skip_failed: true })).toBeNull();
  expect(await t.columnOf("sprints", sprint_id, "status")).toBe("ACTIVE");
});
