import { describe, expect, it } from "vitest";
import type { KillPoint } from "./breakpoint";
import { openScene } from "./kill-scene";

const scene = await openScene();

const move = { tool: "update_task_execution", when: "after" } as const;
const report = { tool: "update_job_status", status: "done" };

/** The steps of a batch of three tasks that a single task does not have. */
const steps: [name: string, place: KillPoint][] = [
  ["has begun the first task", { ...move, status: "running" }],
  ["has finished the first task", { ...move, status: "done" }],
  ["runs the command of the second task", { command: "exec", task: "T-2" }],
  ["hears the gate of the second task", { tool: "verify_sprint_task", when: "after", nth: 2 }],
  ["has pushed the first task", { origin: "post-receive" }],
  ["has finished the last task", { ...move, status: "done", nth: 3 }],
  ["reports that all is done", { ...report, when: "before" }],
];

describe("J7: a worker killed with -9 at a step of a batch", { timeout: 120_000 }, () => {
  it.each(steps)("J7: A batch whose worker is killed when it %s is ended whole by another", async (name, place) => {
    const code = `K${steps.findIndex(([other]) => other === name)}`;
    const wish = { code, strategy: "SPRINT_BATCH", tasks: 3 } as const;
    const killed = await scene.killAt(place, wish);
    expect(killed.job).toMatchObject({ status: "running", attempt: 1, worker_name: "victim" });
    await scene.outliveLease(killed);
    await scene.expectDeaf(killed);

    await killed.rescue();
    const run = await killed.read();
    expect(run).toMatchObject({ status: "done", failure: null });
    expect(run.jobs).toMatchObject([{ status: "done", attempt: 2, retry_count: 1, worker_name: "rescuer" }]);
    expect(run.executions.map(({ status }) => status)).toEqual(["done", "done", "done"]);
    const { branch, head_sha } = run.jobs[0] ?? {};
    expect(killed.origin("rev-parse", String(branch))).toBe(head_sha);
    const subjects = killed.origin("log", "--reverse", "--format=%s", `main..${branch}`);
    expect(subjects.split("\n")).toEqual(["T-1: Task 1", "T-2: Task 2", "T-3: Task 3"]);
    await scene.expectDeaf(killed);
    await scene.letGo(killed);
  });
});
