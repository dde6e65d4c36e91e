import { expect, it } from "vitest";
import { addDependency } from "~/nouns/dependencies/operations.server";
import { reviewJob } from "~/nouns/job-reviews/operations.server";
import { updateProduct } from "~/nouns/products/operations.server";
import { startSprintRun } from "~/nouns/sprint-runs/operations.server";
import { setTaskStatus } from "~/nouns/tasks/operations.server";
import { createTestDatabase } from "../../setup/database";
import { at, claim, claimRefusal, finish } from "../../setup/world";

const t = await createTestDatabase();

/** Four tasks of one branch, each looked at by a person before it is done. */
async function openLane() {
  const world = await t.seedSprint({ strategy: "SPRINT", stories: [1, 1, 1, 1] });
  const { actor, product } = world;
  await updateProduct(actor, { product_id: product.id, done_requires: "person" });
  const wait = (task: number, blocker: number) =>
    addDependency(actor, {
      ...{ kind: "task", id: at(world.tasks, task).id, blocked_by: at(world.tasks, blocker).id },
    });
  await startSprintRun(actor, { sprint_id: world.sprint.id });
  const done = (job: { id: string; attempt: number }) => finish(actor, job);
  const work = async () => {
    const job = await claim(actor);
    await done(job);
    return job;
  };
  return { actor, wait, done, work };
}

it("changes requested of a task that another one in review waits for hand out no second job of the branch", async () => {
  const { actor, wait, done, work } = await openLane();
  const first = await work();
  await setTaskStatus(actor, { task_id: first.task_id ?? "", status: "done" });
  await wait(1, 0);
  await work();
  const third = await claim(actor, "w1");
  const changes = { verdict: "request_changes", summary: "Say it louder" } as const;
  await reviewJob(actor, { job_id: first.id, ...changes });
  expect(await claimRefusal(actor, "w2")).toBe("review");
  await done(third);
  expect((await claim(actor, "w2")).id).toBe(first.id);
});

it("a dependency of a task that is in review holds no one either", async () => {
  const { actor, wait, done, work } = await openLane();
  await work();
  const second = await claim(actor, "w1");
  await wait(0, 2);
  expect(await claimRefusal(actor, "w2")).toBe("review");
  await done(second);
  expect((await claim(actor, "w2")).attempt).toBe(1);
});
