import { describe, expect, it } from "vitest";
import type { KillPoint } from "./breakpoint";
import { openScene, work } from "./kill-scene";

const scene = await openScene();

const start = { tool: "update_job_status", status: "running" };
const beat = { tool: "job_heartbeat", meanwhile: "exec" } as const;
const verdict = { tool: "verify_task_against_plan" };
const report = { tool: "update_job_status", status: "done" };

/** Every step of a task's job from claim to report, and the status in which it leaves the job. */
const steps: [name: string, place: KillPoint, status: "claimed" | "running"][] = [
  ["has not heard that it got the job", { tool: "wait_for_job", when: "after" }, "claimed"],
  ["fetches what is new", { origin: "fetch" }, "claimed"],
  ["makes its worktree", { hook: "post-checkout" }, "claimed"],
  ["says that it begins", { ...start, when: "before" }, "claimed"],
  ["was heard that it begins", { ...start, when: "after" }, "running"],
  ["runs the command", { command: "exec" }, "running"],
  ["sends a heartbeat", { ...beat, when: "before" }, "running"],
  ["hears the answer to a heartbeat", { ...beat, when: "after" }, "running"],
  ["commits what the command left", { hook: "post-commit" }, "running"],
  ["runs the test command", { command: "test" }, "running"],
  ["sends its evidence", { ...verdict, when: "before" }, "running"],
  ["hears whether the gate opens", { ...verdict, when: "after" }, "running"],
  ["asks whether it may push", { tool: "job_heartbeat", when: "before" }, "running"],
  ["begins to push", { hook: "pre-push" }, "running"],
  ["has pushed and not heard so", { origin: "post-receive" }, "running"],
  ["opens the pull request", { command: "pr" }, "running"],
  ["logs the commit", { tool: "log_commit", when: "after" }, "running"],
  ["reports that it is done", { ...report, when: "before" }, "running"],
];

describe("J7: a worker killed with -9 at a step of a task", { timeout: 120_000 }, () => {
  it.each(steps)("J7: A task whose worker is killed when it %s is ended by another", async (name, place, status) => {
    const code = `K${steps.findIndex(([other]) => other === name)}`;
    const killed = await scene.killAt(place, { code, product: { auto_pr: true } });
    expect(killed.job).toMatchObject({ status, attempt: 1, worker_name: "victim" });
    await scene.outliveLease(killed);
    await scene.expectDeaf(killed);
    expect((await killed.read()).jobs).toMatchObject([{ task_status: "in_progress" }]);

    await killed.rescue(work, () => scene.expectDeaf(killed));
    const run = await killed.read();
    expect(run).toMatchObject({ status: "done", failure: null });
    expect(run.jobs).toMatchObject([
      { status: "done", attempt: 2, retry_count: 1, worker_name: "rescuer", task_status: "done" },
    ]);
    const [job] = run.jobs;
    expect(killed.origin("rev-parse", String(job?.branch))).toBe(job?.head_sha);
    expect(killed.origin("log", "--format=%s", `main..${job?.branch}`)).toBe("T-1: Task 1");
    await scene.expectDeaf(killed);
    await scene.letGo(killed);
  });
});
