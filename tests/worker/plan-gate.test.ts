import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { getAgentJob, reviewPlan } from "~/nouns/agent-jobs/operations.server";
import { promptsIn, standIns, ways } from "../agents/stand-ins";
import { at } from "../setup/world";
import { gitIn, openStage, startUnplanned } from "./fixture";
import { openToolGate } from "./tool-gate";
import { endOf } from "./worker-process";

const { t, app, ada, actor, home, repo, serve } = await openStage("--heartbeat", "0.3");
const gate = await openToolGate(app.port);

/** A run whose plans a person approves, and a clone with a remote of its own. */
async function begin(code: string, strategy: "STORY" | "SPRINT_BATCH" = "STORY", tasks = 1) {
  const wish = { strategy, plan_review: "person" } as const;
  const { story, run } = await startUnplanned(t, ada, code, wish, tasks);
  const folder = join(home, code);
  gitIn(home)("clone", "--quiet", "--bare", repo, join(folder, "origin.git"));
  gitIn(folder)("clone", "--quiet", "origin.git", "clone");
  const [clone, origin] = [gitIn(join(folder, "clone")), gitIn(join(folder, "origin.git"))];
  const job = async () => {
    return getAgentJob(actor, { job_id: at((await run()).jobs, 0).id });
  };
  const environment: Record<string, string> = {};
  const place = ["--work-dir", join(folder, "work"), "--repo", join(folder, "clone")];
  const work = (...words: string[]) => serve(code, ["--url", gate.url, ...place, "--once", ...words], environment);
  return {
    folder,
    environment,
    job,
    work,
    origin,
    branch: `backloom/${story.code}`,
    run,
    workOnce: (...words: string[]) => endOf(work(...words)),
    async judge(verdict: "approve" | "request_changes", rest: { plan?: string; summary?: string } = {}) {
      return reviewPlan(actor, { job_id: (await job()).id, verdict, ...rest });
    },
    /** Neither the clone nor its remote knows a commit beyond the first. */
    expectNothing() {
      for (const git of [clone, origin]) {
        expect(git("log", "--branches", "--remotes", "--tags", "--format=%s")).toBe("Begin");
      }
    },
  };
}

const result = '> "$BACKLOOM_RESULT_FILE"';
/** Begins the work although it must not: commits a file, leaves one, leaves the branch, and goes on in the background. */
const eager = `git config user.email a@b.c; git config user.name A; echo 1 > early.txt; git add early.txt; git commit -qm Early; git checkout -q --detach; echo 2 > left.txt; (setsid sh -c 'for i in $(seq 600); do echo late >> late.txt; sleep 0.1; done' >/dev/null 2>&1 &)`;
const command = (planning: string) =>
  `if [ -n "$BACKLOOM_PLAN_FIRST" ]; then cp "$BACKLOOM_PROMPT_FILE" "$PWD.prompt" ; ${planning}; echo '{"implementation_plan":"1. Write the footer"}' ${result}; else echo "$BACKLOOM_TASK_CODE" > "$BACKLOOM_TASK_CODE.txt"; echo '{"verify_result":"ALIGNED"}' ${result}; fi`;

it("A plan to approve ends the attempt, and what was changed while planning is thrown away and named", async () => {
  const { workOnce, job, judge, expectNothing, run, origin, branch } = await begin("GATE");
  const said = await workOnce("--exec", command(eager));
  expect(said).toContain("waits for approval");
  expect(said).not.toContain("is kept");
  expect(said).toMatch(/Thrown away: .*early\.txt,.* left\.txt/);
  expectNothing();
  expect(await job()).toMatchObject({ status: "queued", phase: "plan", head_sha: null });
  await judge("approve", { plan: "1. Write only the footer" });
  await workOnce("--exec", command("true"));
  expect(await run()).toMatchObject({ status: "done" });
  expect(await job()).toMatchObject({ plan_snapshot: "1. Write only the footer" });
  expect(origin("ls-tree", "--name-only", branch)).toBe("T-1.txt");
});

it("A plan waits for approval before each task of a batch", { tags: "thorough" }, async () => {
  const { workOnce, job, judge, run, origin, branch } = await begin("GATEBATCH", "SPRINT_BATCH", 2);
  await workOnce("--exec", command(eager));
  await judge("request_changes", { summary: "Shorter" });
  await workOnce("--exec", command("true"));
  await judge("approve");
  await workOnce("--exec", command(eager));
  expect(await job()).toMatchObject({ phase: "plan", task_code: "T-2" });
  expect(origin("ls-tree", "--name-only", branch)).toBe("T-1.txt");
  await judge("approve", { plan: "Another plan" });
  await workOnce("--exec", command("true"));
  expect(await run()).toMatchObject({
    status: "done",
    executions: [{ plan_snapshot: "1. Write the footer" }, { plan_snapshot: "Another plan" }],
  });
});

it.each(Object.entries(ways))(
  "A plan that was sent back is made again in the same conversation of %s and carried out there",
  { tags: "thorough" },
  async (way, { agent, programs }) => {
    const { workOnce, judge, run, folder, job, environment } = await begin(
      `GATE${way.toUpperCase().replaceAll(/[^A-Z]/g, "")}`,
    );
    Object.assign(environment, standIns(folder, programs));
    await workOnce("--agent", agent);
    await judge("request_changes", { summary: "Keep the header" });
    await workOnce("--agent", agent);
    await judge("approve", { plan: "1. Make it, keep the header" });
    await workOnce("--agent", agent);
    expect(await run()).toMatchObject({ status: "done", jobs: [{ summary: "Made as planned." }] });
    const prompts = promptsIn(folder);
    expect(prompts).toHaveLength(3);
    expect(prompts[1]).toContain("Keep the header");
    expect(prompts[1]).toContain("| 1. Make it");
    expect(prompts[2]).toContain("a person approved the plan below");
    expect(prompts[2]).toContain("1. Make it, keep the header");
    const sessions = (await job()).attempts.map(({ session_id }) => session_id);
    expect(sessions).toEqual([sessions[0], sessions[0], sessions[0]]);
  },
);

it("A plan that was sent back is made again in a new conversation where the old one is lost", {
  tags: "thorough",
}, async () => {
  const { workOnce, judge, folder, job, environment } = await begin("GATELOST");
  Object.assign(environment, standIns(folder, ["codex"]));
  await workOnce("--agent", "codex");
  await judge("request_changes", { summary: "Keep the header" });
  rmSync(join(folder, "own/.codex"), { recursive: true });
  await workOnce("--agent", "codex");
  expect(await job()).toMatchObject({ status: "queued", phase: "plan" });
  const [words, ...more] = promptsIn(folder);
  expect(more).toEqual([]);
  for (const text of ["Keep the header", "| 1. Make it", "What was said before"]) {
    expect(words).toContain(text);
  }
});

it("An attempt that is to plan and writes no plan fails, and leaves nothing", async () => {
  const { workOnce, job, expectNothing } = await begin("GATELESS");
  await workOnce("--exec", "echo x > early.txt");
  expect(await job()).toMatchObject({ status: "failed", failure_class: "agent_error" });
  expectNothing();
});

/** `PLAN_KILLS=100` for a full run. */
const rounds = Number(process.env.PLAN_KILLS ?? 6);
const victims = ["worker", "agent", "answer"] as const;

describe("a kill while an agent plans", { tags: "thorough", timeout: 240_000 }, () => {
  it.each(Array.from({ length: rounds }, (_, n) => [n, victims[n % 3]] as const))(
    "A kill while an agent plans leaves no commit and no changed file before the approval (%i: %s)",
    async (n, victim) => {
      const scene = await begin(`KILL${n}`);
      const begun = join(scene.folder, "begun");
      const pause = `for i in 1 2 3 4 5 6; do sleep 0.1; echo $i >> early.txt; done`;
      const killed = `if [ ! -e ${begun} ]; then touch ${begun}; ${eager}; ${pause}; ${victim === "agent" ? "kill -9 $$;" : ""} fi`;
      const held =
        victim === "answer" ? gate.hold({ tool: "update_job_status", status: "running", nth: 2, when: "after" }) : null;
      const first = scene.work("--exec", command(killed));
      if (held) {
        await held.reached;
        held.lose();
      }
      if (victim === "worker") {
        await expect.poll(() => existsSync(begun), { timeout: 120_000, interval: 10 }).toBe(true);
        await wait((n * 137) % 700);
        first.process.kill("SIGKILL");
      }
      await first.ended;
      if (victim !== "worker") scene.expectNothing();
      await t.query`update agent_jobs set not_before = null where id = ${(await scene.job()).id}`;
      if ((await scene.job()).phase !== "plan") await scene.workOnce("--exec", command("true"));
      scene.expectNothing();
      expect(await scene.job()).toMatchObject({ status: "queued", phase: "plan", plan_snapshot: null });
      await scene.judge("approve");
      await scene.workOnce("--exec", command("true"));
      expect(await scene.run()).toMatchObject({ status: "done" });
      expect(scene.origin("ls-tree", "--name-only", scene.branch)).toBe("T-1.txt");
    },
  );
});
