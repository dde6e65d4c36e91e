import { describe, expect, it } from "vitest";
import { listJobComments } from "~/features/review/list-comments.server";
import { getAgentJob } from "~/nouns/agent-jobs/operations.server";
import { reviewJob, undoReview } from "~/nouns/reviews/operations.server";
import { sweep } from "~/nouns/schedules/operations.server";
import { createTestDatabase } from "../setup/database";
import { claim } from "../setup/world";
import { outcome } from "./outcome";

const t = await createTestDatabase();
const rounds = Number(process.env.RACE_ROUNDS ?? 3);

async function scene(doneRequires: "none" | "person") {
  const held = await t.holdJob({ stories: [1] });
  const { world } = held;
  await t.query`update products set done_requires = ${doneRequires} where id = ${world.product.id}`;
  const eva = await t.createMember(world.product.id);
  return { ...held, eva: t.actorOf(eva) };
}

describe("two people judge the same attempt at once", { timeout: 60_000 + rounds * 2_000 }, () => {
  it.each(["none", "person"] as const)("Of two opposite verdicts at once one wins (%s)", async (doneRequires) => {
    for (let round = 0; round < rounds; round++) {
      const { world, eva, job, report, task } = await scene(doneRequires);
      await report({ status: "done", verify_result: "ALIGNED" });
      const approve = reviewJob(eva, { job_id: job.id, verdict: "approve" });
      const request = reviewJob(world.actor, { job_id: job.id, verdict: "request_changes", summary: "Again" });
      const outcomes = await Promise.all([outcome(approve), outcome(request)]);
      expect([...outcomes].sort()).toEqual(["lost", "won"]);
      const isApproved = outcomes[0] === "won";
      const { reviews } = await listJobComments(eva, { job_id: job.id });
      expect(reviews.map(({ verdict }) => verdict)).toEqual([isApproved ? "approve" : "request_changes"]);
      const status = await t.columnOf("tasks", task.id, "status");
      const again = doneRequires === "person" ? "IN_PROGRESS" : "TO_DO";
      expect(status).toBe(isApproved ? "DONE" : again);
      const left = await getAgentJob(eva, { job_id: job.id });
      if (doneRequires === "person") expect(left.status).toBe(isApproved ? "done" : "queued");
    }
  });
});

describe("two approvals at once", { timeout: 60_000 + rounds * 2_000 }, () => {
  it("Of two approvals at once one is recorded, and the other person is refused", async () => {
    for (let round = 0; round < rounds; round++) {
      const { world, eva, job, report } = await scene("person");
      await report({ status: "done", verify_result: "ALIGNED" });
      const outcomes = await Promise.all(
        [eva, world.actor].map((actor) => outcome(reviewJob(actor, { job_id: job.id, verdict: "approve" }))),
      );
      expect(outcomes.toSorted()).toEqual(["lost", "won"]);
      const rows = await t.query`select from job_reviews where job_id = ${job.id}`;
      expect(rows).toHaveLength(1);
    }
  });
});

describe("a verdict that is undone at the moment when it counts", { timeout: 60_000 + rounds * 2_000 }, () => {
  it("An undo and sweeps at once leave the verdict given, or taken back whole", async () => {
    for (let round = 0; round < rounds; round++) {
      const { eva, job, report, task } = await scene("person");
      await report({ status: "done", verify_result: "ALIGNED" });
      const of = { job_id: job.id };
      const second = { ...of, verdict: "approve", undo_seconds: 30 } as const;
      const given = await Promise.all([outcome(reviewJob(eva, second)), outcome(reviewJob(eva, second))]);
      expect(given.toSorted()).toEqual(["lost", "won"]);
      await t.query`update pending_verdicts set undo_until = now() + ${round * 4} * interval '1 millisecond'
        where job_id = ${job.id}`;
      const sweeps = async () => {
        for (let n = 0; n < 6; n++) await sweep(t.database);
      };
      const [undone] = await Promise.all([outcome(undoReview(eva, of)), sweeps(), sweeps()]);
      await sweep(t.database);
      const { reviews } = await listJobComments(eva, of);
      expect(reviews).toHaveLength(undone === "won" ? 0 : 1);
      expect(await t.columnOf("tasks", task.id, "status")).toBe(undone === "won" ? "REVIEW" : "DONE");
      expect(await t.query`select from pending_verdicts where job_id = ${job.id}`).toEqual([]);
    }
  });
});

describe("a verdict while a lease ends", { timeout: 60_000 + rounds * 2_000 }, () => {
  it("A verdict as a lease runs out is refused, and the job goes to the next worker", async () => {
    for (let round = 0; round < rounds; round++) {
      const { world, eva, job } = await scene("person");
      await t.query`update agent_jobs set lease_until = now() - interval '1 second' where id = ${job.id}`;
      const [verdict] = await Promise.all([
        outcome(reviewJob(eva, { job_id: job.id, verdict: "approve" })),
        sweep(t.database),
      ]);
      expect(verdict).toBe("lost");
      expect(await getAgentJob(eva, { job_id: job.id })).toMatchObject({ status: "queued", retry_count: 1 });
      expect((await claim(world.actor, "worker-2")).id).toBe(job.id);
    }
  });

  it("A verdict as a worker hands over its job ends the job, or is refused and leaves it in review", async () => {
    for (let round = 0; round < rounds; round++) {
      const { eva, job, report, task } = await scene("person");
      const [, verdict] = await Promise.all([
        report({ status: "done", verify_result: "ALIGNED" }),
        outcome(reviewJob(eva, { job_id: job.id, verdict: "approve" })),
        sweep(t.database),
      ]);
      const left = await getAgentJob(eva, { job_id: job.id });
      expect(left.status).toBe(verdict === "won" ? "done" : "queued");
      expect(await t.columnOf("tasks", task.id, "status")).toBe(verdict === "won" ? "DONE" : "REVIEW");
    }
  });
});
