import { join } from "node:path";
import { listAgentJobs } from "~/nouns/agent-jobs/operations.server";
import { updateProduct } from "~/nouns/products/operations.server";
import { reviewJob } from "~/nouns/reviews/operations.server";
import { getSprintRun, preflightSprintRun, startSprintRun } from "~/nouns/sprint-runs/operations.server";
import type { SprintRunDetail } from "~/wire/sprint-runs/contract";
import { at } from "../setup/world";
import { gitIn, importStories, openStage } from "./fixture";
import { flags } from "./flags";
import { endOf, startWorker } from "./worker-process";

type Strategy = "SPRINT" | "STORY" | "SPRINT_BATCH";

/** A service, one remote, and two machines with a clone each. */
export async function openMachines() {
  const { t, app, ada, actor, token, home, repo, git } = await openStage();
  const origin = join(home, "origin.git");
  git("clone", "--quiet", "--bare", repo, origin);
  for (const machine of ["a", "b"]) git("clone", "--quiet", origin, join(home, machine));
  const shared = gitIn(origin);

  function start(product: string, machine: "a" | "b", exec: string, ...args: string[]) {
    return startWorker([
      ...flags({ url: app.origin, token, "work-dir": join(home, `work-${machine}`) }),
      ...flags({ repo: join(home, machine), name: `${product}-${machine}`, product, exec, heartbeat: "0.3" }),
      ...args,
    ]);
  }

  async function work(product: string, machine: "a" | "b", exec: string, ...args: string[]) {
    const worker = start(product, machine, exec, ...(args.length > 0 ? args : ["--until-idle"]));
    return endOf(worker);
  }

  /** A product with as many stories as there are numbers of tasks, all in one active sprint. */
  async function product(code: string, strategy: Strategy, tasks: readonly number[]) {
    let number = 0;
    const stories = tasks.map((count, index) => ({
      title: `Story ${index + 1}`,
      code: `ST-${index + 1}`,
      tasks: Array.from({ length: count }, () => {
        number += 1;
        return { title: "Do", code: `T-${number}`, implementation_plan: "Do it" };
      }),
    }));
    const next = { code: "SP-2", status: "PLANNED" } as const;
    const { id } = await importStories(t, ada, { code, pr_strategy: strategy }, stories, [next]);
    const idOf = async (table: "sprints" | "stories" | "tasks", thing: string): Promise<string> => {
      const { rows } = await t.sql.query(`select id from ${table} where product_id = $1 and code = $2`, [id, thing]);
      return at(rows, 0).id;
    };
    const sprintId = await idOf("sprints", "SP-1");
    const readRun = (run: { id: string }): Promise<SprintRunDetail> => getSprintRun(actor, { sprint_run_id: run.id });
    const jobOf = async (task: string) => {
      const { jobs } = await listAgentJobs(actor, { product_id: id, limit: 100 });
      const own = jobs.filter(({ kind, task_code }) => kind !== "SPRINT_IMPLEMENTATION" && task_code === task);
      return at(own, 0);
    };
    return {
      id,
      idOf,
      readRun,
      jobOf,
      headOf: async (task: string) => String((await jobOf(task)).head_sha),
      startRun: async () => {
        // On a fast machine the runs of these tests are more than a person may start in a minute.
        await t.query`truncate public.rate_limit_counters`;
        return startSprintRun(actor, { sprint_id: sprintId });
      },
      preflight: () => preflightSprintRun(actor, { sprint_id: sprintId }),
      change: (pr_strategy: Strategy) => updateProduct(actor, { product_id: id, pr_strategy }),
      requestChanges: async (task: string) =>
        reviewJob(actor, { job_id: (await jobOf(task)).id, verdict: "request_changes", summary: "Say more" }),
    };
  }

  const filesOf = (ref: string) => shared("ls-tree", "-r", "--name-only", ref).split("\n");
  const parentsOf = (ref: string) => shared("log", "-1", "--format=%P", ref).split(" ");
  return { t, app, ada, actor, home, shared, start, work, product, filesOf, parentsOf };
}
