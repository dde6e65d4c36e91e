import { join } from "node:path";
import { expect } from "vitest";
import { getAgentJob, reportAgentJob } from "~/nouns/agent-jobs/operations.server";
import { later, minutes, serviceAt } from "../db/agents/fixed-clock";
import { refusalOf } from "../db/refusal";
import { at } from "../setup/world";
import { makeBarrier } from "./barrier";
import { type KillPoint, setBreakpoint } from "./breakpoint";
import { gitIn, openStage, type RunOptions, startRun } from "./fixture";
import { flags } from "./flags";
import { openToolGate } from "./tool-gate";
import { startWorker } from "./worker-process";

const lease = minutes(5);
/** Leases that ran out are swept within this time. */
const sweep = 5_000;

/** What a worker's command does with each task. */
export const work = 'echo done > "$BACKLOOM_TASK_CODE.txt"';

export interface KillOptions extends RunOptions {
  /** What the worker's commands do; `work` by default. */
  exec?: string;
  /** What happens between the start of the run and that of the worker. */
  prepare?: (productId: string) => Promise<unknown>;
  args?: string[];
}

/** A service, and for each run two machines with a clone of the repository that both push to. */
export async function openScene() {
  const { t, app, ada, actor, token, home, repo } = await openStage();
  // Heartbeats by the clock and before a push only: what a stream makes a worker ask comes at any moment.
  const gate = await openToolGate(app.port, { streams: false });

  /** Starts a run, and a worker that is killed with -9 where it is caught. */
  async function killAt(point: KillPoint, { exec = work, prepare, args = [], ...options }: KillOptions) {
    const run = await startRun(t, ada, options);
    await prepare?.(run.productId);
    const folder = join(home, options.code);
    const origin = join(folder, "origin.git");
    const repository = join(folder, "victim");
    gitIn(home)("clone", "--quiet", "--bare", repo, origin);
    for (const name of ["victim", "rescuer"]) gitIn(folder)("clone", "--quiet", origin, name);

    const start = (name: string, url: string, command: string, ...more: string[]) =>
      startWorker([
        ...flags({ url, token, product: options.code, name, repo: join(folder, name) }),
        ...flags({ "work-dir": join(folder, `${name}-work`), exec: command }),
        ...args,
        ...more,
      ]);
    const breakpoint = setBreakpoint(point, gate, { folder, repository, origin });
    const victim = start("victim", gate.url, breakpoint.exec(exec), ...breakpoint.args);
    await breakpoint.reached(victim);
    await victim.end("SIGKILL");

    const taken = await t.query`select id from agent_jobs where product_id = ${run.productId} and attempt > 0`;
    const readJob = () => getAgentJob(actor, { job_id: at(taken, 0).id });
    return {
      ...run,
      origin: gitIn(origin),
      breakpoint,
      readJob,
      /** The only job that was taken, as the dead worker left it. */
      job: await readJob(),
      async state() {
        const rows = await t.query`select (select json_agg(j order by j.id) from agent_jobs j
            where j.product_id = ${run.productId}) as jobs,
             (select json_agg(x order by x.id) from tasks x where x.product_id = ${run.productId}) as tasks,
             (select json_agg(r order by r.id) from sprint_runs r where r.product_id = ${run.productId}) as runs,
             (select json_agg(q order by q.id) from agent_questions q where q.product_id = ${run.productId})
               as questions,
             (select json_agg(e order by e.id) from task_executions e
               join sprint_runs r on r.id = e.sprint_run_id where r.product_id = ${run.productId}) as executions`;
        return { rows, branches: gitIn(origin)("for-each-ref") };
      },
      /** Another machine takes one job of the run and ends in order; `meanwhile` happens while its command runs. */
      async rescue(command = exec, meanwhile?: () => Promise<void>) {
        const pause = makeBarrier(join(folder, "pause"));
        const given = meanwhile ? `${pause.script}; ${command}` : command;
        const rescuer = start("rescuer", gate.url, given, "--once");
        if (meanwhile) {
          await pause.reached(rescuer.output);
          await meanwhile();
          await pause.release();
        }
        expect(await rescuer.ended, rescuer.output()).toBe(0);
      },
    };
  }

  type Killed = Awaited<ReturnType<typeof killAt>>;

  /** The job is held until its lease ends, and waits in the queue again five seconds later. */
  async function outliveLease({ readJob }: Killed): Promise<void> {
    // Its last heartbeat may have been under way when it was killed.
    const job = await readJob();
    const end = new Date(job.lease_until ?? "nothing holds the job");
    expect(end.getTime()).toBeLessThanOrEqual(Date.now() + lease);
    await serviceAt(t, later(end, -1), "sweep()");
    const held = { status: job.status, attempt: 1, retry_count: 0 };
    expect(await readJob()).toMatchObject(held);
    await serviceAt(t, later(end, sweep), "sweep()");
    const free = { status: "queued", retry_count: 1, lease_until: null };
    expect(await readJob()).toMatchObject(free);
  }

  /** Long after the lease has ended, if there is one. */
  async function sweepAfter({ job }: Killed): Promise<void> {
    const then = later(job.lease_until ?? new Date(), lease + sweep);
    await serviceAt(t, then, "sweep()");
  }

  /** Whatever the dead attempt says now is refused with the reason, and changes nothing. */
  async function expectDeaf({ job, state }: Killed): Promise<void> {
    const before = await state();
    for (const status of ["running", "skipped", "failed"] as const) {
      // A last word that was heard may be said again.
      if (status === "failed" && job.status === "failed") continue;
      const refusal = await refusalOf(reportAgentJob(actor, { job_id: job.id, attempt: 1, status }));
      expect(refusal.status).toBe(409);
      expect(refusal.message).toMatch(/no longer holds this job|is already|waiting for the answer|does not merge/);
    }
    expect(await state()).toEqual(before);
  }

  /** What the dead worker had begun, in git or on the way to the service, changes nothing when it continues. */
  async function letGo({ breakpoint, state }: Killed): Promise<void> {
    const before = await state();
    await breakpoint.release();
    expect(await state()).toEqual(before);
  }

  return { t, actor, killAt, outliveLease, sweepAfter, expectDeaf, letGo };
}
