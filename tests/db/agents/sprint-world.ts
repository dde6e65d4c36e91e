import type { Actor } from "~/db/rpc.server";
import type { AgentJob } from "~/nouns/agent-jobs/contract";
import type { ReportAgentJobInput } from "~/nouns/agent-jobs/job-report";
import { claimAgentJob, reportAgentJob } from "~/nouns/agent-jobs/operations.server";
import { startSprintRun } from "~/nouns/sprint-runs/operations.server";
import type { JobPayload } from "~/nouns/workers/contract";
import { type Created, create, seedProduct } from "../../setup/backlog";
import type { TestDatabase } from "../../setup/database";
import { createUser, type TestUser } from "../../setup/users";
import { at } from "../world";

export interface SprintWorld {
  owner: TestUser;
  actor: Actor;
  product: Created;
  pbi: Created;
  /** Stories in their order, each with its tasks in their order. */
  stories: (Created & { tasks: Created[] })[];
  /** All tasks in PBI, story, task order. */
  tasks: Created[];
  sprint: Created;
}

export interface SprintOptions {
  strategy?: "SPRINT" | "STORY" | "SPRINT_BATCH";
  /** How many tasks each story has. */
  stories?: number[];
  plan?: (story: number, task: number) => string | undefined;
  task?: Record<string, unknown>;
}

/** An owner of their own with a product and an active sprint, ready for a run. */
export async function seedSprint(
  t: Pick<TestDatabase, "sql" | "actorOf">,
  { strategy = "SPRINT", stories: sizes = [2, 1], plan = planOf, task = {} }: SprintOptions = {},
): Promise<SprintWorld> {
  const owner = await createUser(t);
  const actor = t.actorOf(owner);
  const product = await seedProduct(t, owner, { p_pr_strategy: strategy });
  const pbi = await create(actor, "create_pbi", { p_product_id: product.id, p_title: "PBI" });
  const sprint = await create(actor, "create_sprint", {
    p_product_id: product.id,
    p_sprint_goal: "Goal",
  });
  const stories: SprintWorld["stories"] = [];
  for (const [s, size] of sizes.entries()) {
    const story = await create(actor, "create_story", {
      p_pbi_id: pbi.id,
      p_title: `Story ${s + 1}`,
      p_acceptance_criteria: "- [ ] Works",
    });
    const tasks: Created[] = [];
    for (let n = 1; n <= size; n++) {
      tasks.push(
        await create(actor, "create_task", {
          p_story_id: story.id,
          p_title: `Task ${s + 1}.${n}`,
          p_implementation_plan: plan(s + 1, n),
          ...task,
        }),
      );
    }
    await create(actor, "add_story_to_sprint", { p_sprint_id: sprint.id, p_story_id: story.id });
    stories.push({ ...story, tasks });
  }
  await create(actor, "start_sprint", { p_sprint_id: sprint.id });
  return { owner, actor, product, pbi, stories, tasks: stories.flatMap((s) => s.tasks), sprint };
}

function planOf(story: number, task: number): string {
  return `Change src/part-${story}-${task}.ts`;
}

/** Claims a job that the test knows to be claimable. */
export async function claim(actor: Actor, worker = "worker-1"): Promise<JobPayload> {
  const { job, reason } = await claimAgentJob(actor, { worker });
  if (!job) throw new Error(`Nothing to claim: ${reason?.message}`);
  return job;
}

/** A run whose first job is held by a worker, and what that worker reports. */
export async function holdJob(t: TestDatabase, options: SprintOptions = { stories: [1] }) {
  const world = await seedSprint(t, options);
  const run = await startSprintRun(world.actor, { sprint_id: world.sprint.id });
  const job = await claim(world.actor);
  const attempt = { job_id: job.id, attempt: job.attempt };
  const report = (rest: Omit<ReportAgentJobInput, "job_id" | "attempt">): Promise<AgentJob> =>
    reportAgentJob(world.actor, { ...attempt, ...rest });
  return { world, run, job, attempt, report, task: at(world.tasks, 0) };
}

/** Why nothing can be claimed; fails when something could be. */
export async function claimRefusal(actor: Actor, worker = "worker-1"): Promise<string> {
  const { job, reason } = await claimAgentJob(actor, { worker });
  if (job) throw new Error(`Claimed job ${job.id}`);
  return reason?.code ?? "";
}

/** One value of one row, as `postgres` sees it. */
export async function columnOf(
  t: TestDatabase,
  table: string,
  id: string,
  column: string,
): Promise<unknown> {
  const { rows } = await t.sql.query(
    `select ${column} as value from public.${table} where id = $1`,
    [id],
  );
  return rows[0]?.value;
}

/** The statuses of rows in the order of the ids. */
export async function statusesOf(
  t: TestDatabase,
  table: string,
  ids: readonly string[],
): Promise<string[]> {
  const { rows } = await t.sql.query<{ status: string }>(
    `select x.status::text as status from unnest($1::uuid[]) with ordinality as ids (id, place)
     join public.${table} x on x.id = ids.id order by ids.place`,
    [ids],
  );
  return rows.map((row) => row.status);
}

/** The statuses of all tasks of the sprint, in their order. */
export function taskStatuses(t: TestDatabase, { tasks }: SprintWorld): Promise<string[]> {
  return statusesOf(
    t,
    "tasks",
    tasks.map(({ id }) => id),
  );
}
