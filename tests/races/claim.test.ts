import { expect, it } from "vitest";
import { cancelAgentJob, claimAgentJob, heartbeatAgentJob, reportAgentJob } from "~/nouns/agent-jobs/operations.server";
import { ContractError } from "~/wire/errors";
import { createTestDatabase } from "../setup/database";
import { at, claim } from "../setup/world";

const t = await createTestDatabase();
const rounds = Number(process.env.RACE_ROUNDS ?? 3);

async function oneJob() {
  const world = await t.seedSprint({ stories: [1] });
  await world.start();
  const rows = await t.query<{ id: string }>`select id from public.agent_jobs where product_id = ${world.product.id}`;
  return { world, jobId: at(rows, 0).id };
}

const times = <T>(n: number, work: (n: number) => Promise<T>) =>
  Promise.all(Array.from({ length: n }, (_, index) => work(index)));

it(`J1: of 100 claimers exactly one gets the one job, in each of ${rounds} rounds`, async () => {
  for (let round = 1; round <= rounds; round++) {
    const { world, jobId } = await oneJob();
    const claims = await times(100, (n) => claimAgentJob(world.actor, { worker: `w-${n}` }));
    expect(claims.flatMap(({ job }) => job ?? []).map(({ id }) => id)).toEqual([jobId]);
    expect(await t.columnOf("agent_jobs", jobId, "attempt")).toBe(1);
  }
});

it("J1: of 20 jobs in 20 lanes each goes to one claimer", async () => {
  const world = await t.seedSprint({ strategy: "STORY", stories: Array(20).fill(1) });
  await world.start();
  const claims = await times(40, (n) => claimAgentJob(world.actor, { worker: `w-${n}` }));
  const ids = claims.flatMap(({ job }) => (job ? [job.id] : []));
  expect(ids).toHaveLength(20);
  expect(new Set(ids).size).toBe(20);
});

it("J2: of claim and cancel one wins, and a cancelled job is never claimed afterwards", async () => {
  for (let round = 1; round <= rounds * 3; round++) {
    const { world, jobId } = await oneJob();
    const [claimed, cancelled] = await Promise.all([
      claimAgentJob(world.actor, { worker: "w" }),
      cancelAgentJob(world.actor, { job_id: jobId }).then(
        () => true,
        (error: unknown) => {
          if (error instanceof ContractError && error.status === 409) return false;
          throw error;
        },
      ),
    ]);
    expect(claimed.job === null).toBe(cancelled);
    expect(await t.columnOf("agent_jobs", jobId, "status")).toBe(cancelled ? "CANCELLED" : "CLAIMED");
    expect((await claimAgentJob(world.actor, { worker: "w2" })).job).toBeNull();
  }
});

it("J3: A job takes a late report or the claim that takes it over, never both", async () => {
  for (let round = 1; round <= rounds * 3; round++) {
    const { world, jobId } = await oneJob();
    await claim(world.actor, "w-1");
    await t.query`update public.agent_jobs set lease_until = now() where id = ${jobId}`;
    const [report, second] = await Promise.all([
      reportAgentJob(world.actor, { job_id: jobId, attempt: 1, status: "done", verify_result: "ALIGNED" }).catch(
        (error: unknown) => error,
      ),
      claimAgentJob(world.actor, { worker: "w-2" }),
    ]);
    const heard = !(report instanceof Error);
    expect(second.job === null).toBe(heard);
    expect(await t.columnOf("agent_jobs", jobId, "status")).toBe(heard ? "DONE" : "CLAIMED");
    expect(await t.columnOf("agent_jobs", jobId, "attempt")).toBe(heard ? 1 : 2);
  }
});

it("J5: A lease that a sweep ended is never renewed by a heartbeat at the same moment", async () => {
  for (let round = 1; round <= rounds * 3; round++) {
    const { world, jobId } = await oneJob();
    await claim(world.actor);
    await t.query`update public.agent_jobs set lease_until = now() where id = ${jobId}`;
    const [beats] = await Promise.all([
      times(5, () => heartbeatAgentJob(world.actor, { job_id: jobId, attempt: 1 })),
      times(5, () => t.database.call("sweep", {})),
    ]);
    const kept = (await t.columnOf("agent_jobs", jobId, "status")) === "CLAIMED";
    expect(await t.columnOf("agent_jobs", jobId, "retry_count")).toBe(kept ? 0 : 1);
    if (kept) expect(beats.every(({ action }) => action === "continue")).toBe(true);
  }
});

it("J6: of many equal final reports all are fine and one counts; of two different ones the first wins", async () => {
  const { world, jobId } = await oneJob();
  const job = await claim(world.actor);
  const report = (status: "done" | "failed") =>
    reportAgentJob(world.actor, { job_id: job.id, attempt: 1, status, verify_result: "ALIGNED" }).then(
      () => status,
      () => "refused",
    );
  const outcomes = await times(20, (n) => report(n % 2 === 0 ? "done" : "failed"));
  const status = String(await t.columnOf("agent_jobs", jobId, "status")).toLowerCase();
  expect(outcomes.filter((outcome) => outcome === status)).toHaveLength(10);
  expect(outcomes.filter((outcome) => outcome === "refused")).toHaveLength(10);
});
