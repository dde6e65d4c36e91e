import { describe, expect, it } from "vitest";
import { reportAgentJob } from "~/nouns/agent-jobs/operations.server";
import {
  cancelSprintRun,
  pauseSprintRun,
  resumeSprint,
  resumeSprintRun,
  startSprintRun,
} from "~/nouns/sprint-runs/operations.server";
import { ContractError } from "~/wire/errors";
import { asUser, becomeCaller } from "../db/as-user";
import { createTestDatabase } from "../setup/database";
import { at, claim, type SprintWorld } from "../setup/world";

const t = await createTestDatabase();
const rounds = Number(process.env.RACE_ROUNDS ?? 3);

/** The status with which an operation was refused, or "ok"; anything but a refusal fails the test. */
async function outcome(operation: Promise<unknown>): Promise<"ok" | number> {
  try {
    await operation;
    return "ok";
  } catch (error) {
    if (error instanceof ContractError && error.status < 500) return error.status;
    throw error;
  }
}

async function countsOf(world: SprintWorld) {
  const rows = await t.query<{
    runs: number;
    unfinished: number;
    jobs: number;
  }>`select (select count(*) from public.sprint_runs where product_id = ${world.product.id})::int as runs,
      (select count(*) from public.sprint_runs where product_id = ${world.product.id}
        and status in ('QUEUED', 'RUNNING', 'PAUSED'))::int as unfinished,
      (select count(*) from public.agent_jobs where product_id = ${world.product.id})::int as jobs`;
  return at(rows, 0);
}

describe("starting at the same moment", () => {
  it.each(["SPRINT", "STORY", "SPRINT_BATCH"] as const)(
    "J8: of 50 starts under %s one wins, with exactly its jobs",
    async (strategy) => {
      const world = await t.seedSprint({ strategy, stories: [3, 2] });
      await t.query`insert into public.rate_limit_counters (action, key, window_start, count)
        values ('enqueue', ${world.owner.id}, now(), -1000)`;
      const outcomes = await Promise.all(Array.from({ length: 50 }, () => outcome(world.start())));
      expect(outcomes.filter((o) => o === "ok")).toHaveLength(1);
      expect(outcomes.filter((o) => o === 409)).toHaveLength(49);
      expect(await countsOf(world)).toEqual({ runs: 1, unfinished: 1, jobs: strategy === "SPRINT_BATCH" ? 1 : 5 });
    },
  );

  it("J8: the unique index alone allows one unfinished run a sprint", async () => {
    const world = await t.seedSprint({ stories: [1] });
    await world.start();
    await expect(
      t.query`insert into public.sprint_runs (sprint_id, product_id, pr_strategy, branch)
        values (${world.sprint.id}, ${world.product.id}, 'SPRINT', 'b')`,
    ).rejects.toThrow("sprint_runs_one_unfinished_key");
  });

  const obstacles: Record<string, [statement: string, id: (world: SprintWorld) => string]> = {
    "a new question": [
      "select operations.ask_question(p_story_id => $1, p_question => 'Wait?')",
      (world) => at(world.stories, 0).id,
    ],
    "a removed plan": [
      "update public.tasks set implementation_plan = null where id = $1",
      (world) => at(world.tasks, 0).id,
    ],
    "a blocked PBI": ["update public.pbis set status = 'BLOCKED' where id = $1", (world) => world.pbi.id],
  };

  it.each(Object.entries(obstacles))(
    "J9: A run's start that meets %s not committed yet waits for it and is refused",
    async (_, [statement, idOf]) => {
      const world = await t.seedSprint({ stories: [1] });
      const client = await t.begin();
      await becomeCaller(client, world.owner);
      await client.query(statement, [idOf(world)]);
      const started = outcome(world.start());
      await t.untilSomeoneWaits();
      await client.query("commit");
      expect(await started).toBe(409);
      expect(await countsOf(world)).toEqual({ runs: 0, unfinished: 0, jobs: 0 });
    },
  );

  it.each(Object.entries(obstacles))(
    "J9: A change, %s, that meets a run's start not committed yet waits for it",
    async (_, [statement, idOf]) => {
      const world = await t.seedSprint({ stories: [1] });
      const client = await t.begin();
      await becomeCaller(client, world.owner);
      await client.query("select operations.start_sprint_run(p_sprint_id => $1)", [world.sprint.id]);
      const obstructed = asUser(t, world.owner, (other) => other.query(statement, [idOf(world)]).then(() => true));
      await t.untilSomeoneWaits();
      await client.query("commit");
      expect(await obstructed).toBe(true);
      expect(await countsOf(world)).toEqual({ runs: 1, unfinished: 1, jobs: 1 });
    },
  );
});

it("J10: of resume, cancel and a failing task the run ends in one consistent way", async () => {
  for (let round = 1; round <= rounds * 2; round++) {
    const world = await t.seedSprint({ stories: [2] });
    const run = await world.start();
    const id = { sprint_run_id: run.id };
    const job = await claim(world.actor);
    const paused = await pauseSprintRun(world.actor, id);
    const [resumes, cancelled, failed] = await Promise.all([
      Promise.all([1, 2, 3].map(() => outcome(resumeSprintRun(world.actor, id)))),
      outcome(cancelSprintRun(world.actor, id)),
      outcome(reportAgentJob(world.actor, { job_id: job.id, attempt: 1, status: "failed" })),
    ]);
    expect(resumes.filter((o) => o === "ok").length).toBeLessThanOrEqual(1);
    expect([cancelled, failed].filter((o) => o === "ok")).toHaveLength(1);
    expect(await t.columnOf("sprint_runs", run.id, "status")).toBe(cancelled === "ok" ? "CANCELLED" : "FAILED");
    expect(await t.columnOf("sprint_runs", run.id, "pause_context")).toBeNull();
    expect(await t.columnOf("agent_questions", paused.pause_question_id ?? "", "status")).toBe("CANCELLED");
    expect(await t.columnOf("sprints", world.sprint.id, "status")).toBe(cancelled === "ok" ? "ACTIVE" : "FAILED");
  }
});

it("J10: of 20 resumes of a paused batch run one makes the new run", async () => {
  const world = await t.seedSprint({ strategy: "SPRINT_BATCH", stories: [2] });
  const run = await world.start();
  await pauseSprintRun(world.actor, { sprint_run_id: run.id });
  const outcomes = await Promise.all(
    Array.from({ length: 20 }, () => outcome(resumeSprintRun(world.actor, { sprint_run_id: run.id }))),
  );
  expect(outcomes.filter((o) => o === "ok")).toHaveLength(1);
  expect(await countsOf(world)).toEqual({ runs: 2, unfinished: 1, jobs: 2 });
});

it("J10: of 20 resumes of a failed sprint one makes the new run", async () => {
  const world = await t.seedSprint({ stories: [2] });
  await world.start();
  const job = await claim(world.actor);
  await reportAgentJob(world.actor, { job_id: job.id, attempt: 1, status: "failed" });
  const outcomes = await Promise.all(
    Array.from({ length: 20 }, () => outcome(resumeSprint(world.actor, { sprint_id: world.sprint.id }))),
  );
  expect(outcomes.filter((o) => o === "ok")).toHaveLength(1);
  expect(await countsOf(world)).toMatchObject({ runs: 2, unfinished: 1 });
});

it.each([
  ["start", "start_sprint_run(p_sprint_id => $1)"],
  ["resume of a failed sprint", "resume_sprint(p_sprint_id => $1)"],
])("J12: A connection that dies in the middle leaves nothing of a %s", async (name, call) => {
  const world = await t.seedSprint({ stories: [2] });
  if (name !== "start") {
    await world.start();
    const job = await claim(world.actor);
    await reportAgentJob(world.actor, { job_id: job.id, attempt: 1, status: "failed" });
  }
  const before = await countsOf(world);
  const client = await t.sql.connect();
  client.on("error", () => undefined);
  const { rows } = await client.query<{ pid: number }>("select pg_backend_pid() as pid");
  await client.query("begin");
  await becomeCaller(client, world.owner);
  await client.query(`select operations.${call}`, [world.sprint.id]);
  await t.query`select pg_terminate_backend(${at(rows, 0).pid})`;
  client.release(true);
  expect(await countsOf(world)).toEqual(before);
  await (name === "start" ? startSprintRun : resumeSprint)(world.actor, { sprint_id: world.sprint.id });
});
