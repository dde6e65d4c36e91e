import { expect, it } from "vitest";
import { claimAgentJob, reportAgentJob } from "~/nouns/agent-jobs/operations.server";
import { updateProduct } from "~/nouns/products/operations.server";
import { addEvidence, getProof } from "~/nouns/proof/operations.server";
import { startSprintRun } from "~/nouns/sprint-runs/operations.server";
import { updateStory } from "~/nouns/stories/operations.server";
import { setTaskStatus } from "~/nouns/tasks/operations.server";
import { ContractError } from "~/wire/errors";
import type { doneRequirements } from "~/wire/products/contract";
import { createTestDatabase } from "../setup/database";
import { at, claim } from "../setup/world";

const t = await createTestDatabase();
const rounds = Number(process.env.RACE_ROUNDS ?? 10);

async function open(required: (typeof doneRequirements)[number]) {
  const world = await t.seedSprint({ stories: [1] });
  const { actor } = world;
  await updateProduct(actor, { product_id: world.product.id, done_requires: required });
  await startSprintRun(actor, { sprint_id: world.sprint.id });
  const job = await claim(actor, "author");
  return { ...world, job, story: at(world.stories, 0), task: at(world.tasks, 0) };
}

/** How many went through; everything that did not was refused, not broken. */
async function passed(attempts: readonly Promise<unknown>[]): Promise<number> {
  const ends = await Promise.allSettled(attempts);
  for (const end of ends) {
    if (end.status === "rejected" && !(end.reason instanceof ContractError)) throw end.reason;
  }
  return ends.filter(({ status }) => status === "fulfilled").length;
}

it("Evidence added while criteria are edited counts for the line it was seen for, or is refused", async () => {
  const { actor, story } = await open("none");
  const of = { story_id: story.id };
  for (let round = 0; round < rounds; round += 1) {
    await updateStory(actor, { ...of, acceptance_criteria: `- Works ${round}` });
    const [before] = (await getProof(actor, of)).criteria;
    const edited = `- Works ${round}, edited`;
    const [evidence] = await Promise.allSettled([
      addEvidence.json(actor, { ...of, criterion: before?.id ?? "" }),
      updateStory(actor, { ...of, acceptance_criteria: edited }),
    ]);
    const { criteria } = await getProof(actor, of);
    expect(criteria[0]).toMatchObject({ text: `Works ${round}, edited`, state: "unproven" });
    const { rowCount } = await t.sql.query("select from evidence where criterion = $1", [before?.id]);
    const isKept = rowCount === 1;
    expect(isKept).toBe(evidence.status === "fulfilled");
  }
});

it("Of two verifiers one gets the job and the other nothing, and its author never gets it", async () => {
  for (let round = 0; round < rounds; round += 1) {
    const { actor, job } = await open("other_worker");
    const attempt = { job_id: job.id, attempt: job.attempt };
    await reportAgentJob(actor, { ...attempt, status: "done", verify_result: "ALIGNED" });
    const names = ["author", "one", "two", "author"];
    const claims = await Promise.all(names.map((worker) => claimAgentJob(actor, { worker })));
    const got = claims.flatMap((answer, index) => (answer.job ? [names[index]] : []));
    expect(got).toHaveLength(1);
    expect(got).not.toContain("author");
  }
});

it("A task that a person finishes during a verdict is done, and its job ends once", async () => {
  for (let round = 0; round < rounds; round += 1) {
    const { actor, job, task } = await open("other_worker");
    const attempt = { job_id: job.id, attempt: job.attempt };
    await reportAgentJob(actor, { ...attempt, status: "done", verify_result: "ALIGNED" });
    const verifier = await claim(actor, "verifier");
    const evidence = verifier.criteria.map(({ id }) => {
      return { criterion: id, verdict: "fail" as const, command: "false", exit_code: 1 };
    });
    await passed([
      reportAgentJob(actor, { job_id: job.id, attempt: 2, status: "done", evidence }),
      setTaskStatus(actor, { task_id: task.id, status: "done" }),
    ]);
    expect(await t.columnOf("tasks", task.id, "status")).toBe("DONE");
    expect(["DONE", "QUEUED"]).toContain(await t.columnOf("agent_jobs", job.id, "status"));
  }
});

it("Work that ends as its lease runs out goes to review or to another attempt, never both", async () => {
  for (let round = 0; round < rounds; round += 1) {
    const { actor, job, task } = await open("person");
    await t.query`update agent_jobs set lease_until = now() - interval '1 second' where id = ${job.id}`;
    const attempt = { job_id: job.id, attempt: job.attempt };
    const [, other] = await Promise.all([
      reportAgentJob(actor, { ...attempt, status: "done", verify_result: "ALIGNED" }).catch((error: unknown) => {
        if (!(error instanceof ContractError)) throw error;
      }),
      claimAgentJob(actor, { worker: "other" }),
    ]);
    const phase = await t.columnOf("agent_jobs", job.id, "phase");
    expect(phase).toBe(other.job === null ? "review" : "implement");
    expect(await t.columnOf("tasks", task.id, "status")).toBe(other.job === null ? "REVIEW" : "IN_PROGRESS");
  }
});
