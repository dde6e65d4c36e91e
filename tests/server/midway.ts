import { reportAgentJob } from "~/nouns/agent-jobs/operations.server";
import { pauseSprintRun, startSprintRun } from "~/nouns/sprint-runs/operations.server";
import { at, claim, makersOf, type SprintOptions, type SprintWorld, type Store, wait, waitStory } from "../setup/world";

/** A change that takes many statements, and a row that it reaches when it has made some of them. */
export interface Operation {
  name: string;
  strategy: SprintOptions["strategy"];
  /** Brings the sprint to where the operation can begin, and answers the call of the tool. */
  prepare(world: SprintWorld): Promise<{ tool: string; input: Record<string, unknown> }>;
  /** Which row it is kept from: a table, and a choice among the rows of the product. */
  stoppedAt: [table: string, choice: string];
  /** A table that it has changed by then. */
  changed: string;
}

const begin: Operation["prepare"] = async ({ sprint }) => ({
  tool: "start_sprint_run",
  input: { sprint_id: sprint.id },
});

const fail: Operation["prepare"] = async ({ actor, sprint }) => {
  await startSprintRun(actor, { sprint_id: sprint.id });
  const { id, attempt } = await claim(actor);
  return { tool: "update_job_status", input: { job_id: id, attempt, status: "failed" } };
};

const resumeFailed: Operation["prepare"] = async (world) => {
  const { input } = await fail(world);
  await reportAgentJob(world.actor, { job_id: String(input.job_id), attempt: Number(input.attempt), status: "failed" });
  return { tool: "resume_sprint", input: { sprint_id: world.sprint.id } };
};

const resumeBatch: Operation["prepare"] = async ({ actor, sprint }) => {
  const run = await startSprintRun(actor, { sprint_id: sprint.id });
  await claim(actor);
  await pauseSprintRun(actor, { sprint_run_id: run.id });
  return { tool: "resume_sprint_run", input: { sprint_run_id: run.id } };
};

const done = { status: "done", verify_result: "ALIGNED" } as const;

/** The last task of the first story is at work; the second story waits for the first, and its task for that task. */
const complete: Operation["prepare"] = async ({ actor, sprint, stories, tasks }) => {
  await waitStory(actor, at(stories, 1), at(stories, 0));
  await wait(actor, at(tasks, 2), at(tasks, 1));
  await startSprintRun(actor, { sprint_id: sprint.id });
  const first = await claim(actor);
  await reportAgentJob(actor, { ...done, job_id: first.id, attempt: first.attempt });
  const { id, attempt } = await claim(actor);
  return { tool: "update_job_status", input: { ...done, job_id: id, attempt } };
};

const lastTask: Operation["stoppedAt"] = ["tasks", "sort_order desc"];

/** As many as the service has connections: each holds one of them until it is killed. */
export const operations: readonly Operation[] = [
  {
    name: "start, with the run and all jobs written but one unchecked",
    strategy: "SPRINT",
    prepare: begin,
    stoppedAt: lastTask,
    changed: "agent_jobs",
  },
  {
    name: "start of a batch, among its executions",
    strategy: "SPRINT_BATCH",
    prepare: begin,
    stoppedAt: lastTask,
    changed: "task_executions",
  },
  {
    name: "failure, between the task and its story",
    strategy: "SPRINT",
    prepare: fail,
    stoppedAt: ["stories", "sort_order"],
    changed: "tasks",
  },
  {
    name: "failure, between the jobs that it cancels",
    strategy: "STORY",
    prepare: fail,
    stoppedAt: ["agent_jobs", "position desc"],
    changed: "sprint_runs",
  },
  {
    name: "failure, between the run and the sprint",
    strategy: "SPRINT",
    prepare: fail,
    stoppedAt: ["sprints", "created_at"],
    changed: "sprint_runs",
  },
  {
    name: "resume of a failed sprint, among the jobs of the new run",
    strategy: "SPRINT",
    prepare: resumeFailed,
    stoppedAt: lastTask,
    changed: "sprint_runs",
  },
  {
    name: "resume of a paused batch, between the old run and the new one",
    strategy: "SPRINT_BATCH",
    prepare: resumeBatch,
    stoppedAt: lastTask,
    changed: "agent_questions",
  },
  {
    name: "completion, before the release of what waits for it",
    strategy: "STORY",
    prepare: complete,
    stoppedAt: ["agent_jobs", "position desc"],
    changed: "stories",
  },
];

export interface Scene {
  operation: Operation;
  world: SprintWorld;
  call: { tool: string; input: Record<string, unknown> };
}

/** A sprint of an owner of its own, ready for the operation. */
export async function prepareScene(t: Store, operation: Operation): Promise<Scene> {
  const world = await makersOf(t).seedSprint({ strategy: operation.strategy, stories: [2, 1] });
  return { operation, world, call: await operation.prepare(world) };
}

/** A connection of the test that has taken a row. */
export interface Holder {
  pid: number;
  release(): void;
}

/** Takes the row that the operation will be kept from, until the holder releases it. */
export async function takeRow({ sql }: Store, { operation, world }: Scene): Promise<Holder> {
  const [table, choice] = operation.stoppedAt;
  const client = await sql.connect();
  client.on("error", () => undefined);
  await client.query("begin");
  const { rows } = await client.query<{ pid: number }>(
    `select pg_backend_pid() as pid from public.${table} where product_id = $1
     order by ${choice} limit 1 for update`,
    [world.product.id],
  );
  return { pid: at(rows, 0).pid, release: () => client.release(true) };
}

/** Everything of the product that the operations change, row by row. */
export async function rowsOf({ sql }: Store, { world }: Scene): Promise<unknown> {
  const { rows } = await sql.query(
    `select ${["sprints", "pbis", "stories", "tasks", "sprint_runs", "agent_jobs", "agent_questions"]
      .map((table) => `(select json_agg(x order by x.id) from public.${table} x where x.product_id = $1) as ${table}`)
      .join(",\n")},
      (select json_agg(e order by e.id) from public.task_executions e
       join public.sprint_runs r on r.id = e.sprint_run_id where r.product_id = $1) as executions`,
    [world.product.id],
  );
  return at(rows, 0);
}

/** The statuses alone, and what jobs still wait for, in an order that is the same in two products. */
export async function statusesIn({ sql }: Store, { world }: Scene): Promise<unknown> {
  const lists = {
    sprints: "x.created_at",
    pbis: "x.created_at",
    stories: "x.sort_order",
    tasks: "x.sort_order",
    sprint_runs: "x.created_at",
    agent_jobs: "x.created_at, x.position",
    agent_questions: "x.created_at",
  };
  const { rows } = await sql.query(
    `select ${Object.entries(lists)
      .map(
        ([table, order]) =>
          `(select json_agg(x.status order by ${order}) from public.${table} x where x.product_id = $1) as ${table}`,
      )
      .join(",\n")},
      (select json_agg(j.open_blockers order by j.created_at, j.position) from public.agent_jobs j where j.product_id = $1) as open_blockers,
      (select json_agg(e.status order by e.created_at, e.position) from public.task_executions e
       join public.sprint_runs r on r.id = e.sprint_run_id where r.product_id = $1) as executions`,
    [world.product.id],
  );
  return at(rows, 0);
}
