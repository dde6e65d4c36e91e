import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { getAgentJob } from "~/nouns/agent-jobs/operations.server";
import { updateTask } from "~/nouns/tasks/operations.server";
import { callsIn, standIns } from "../agents/stand-ins";
import { at } from "../setup/world";
import { makeRepository, openStage, startRun } from "./fixture";
import { endOf, read } from "./worker-process";

const { t, ada, actor, home, repo, serve } = await openStage();

/** A run whose tasks are named as wished, and a worker that does one job. */
async function begin(code: string, wishes: Parameters<typeof updateTask>[1][], place = repo) {
  const run = await startRun(t, ada, { code, tasks: wishes.length, strategy: "STORY" });
  const jobs = (await run.read()).jobs;
  for (const [n, wish] of wishes.entries()) {
    await updateTask(actor, { ...wish, task_id: String(at(jobs, n).task_id) });
  }
  const folder = join(home, code);
  const environment = standIns(folder, ["claude", "codex", "gemini"]);
  const work = (...words: string[]) =>
    serve(code, ["--work-dir", join(folder, "work"), "--once", "--repo", place, ...words], environment);
  return {
    folder,
    work,
    workOnce: (...words: string[]) => endOf(work(...words)),
    job: (n: number) => getAgentJob(actor, { job_id: at(jobs, n).id }),
  };
}

describe("a worker with several agents", { timeout: 240_000 }, () => {
  it("A worker starts the agent that a task names, with model and effort, and says who did the attempt", async () => {
    const { workOnce, job, folder } = await begin("SEVERAL", [
      { task_id: "", agent: "codex", model: "gpt-x", effort: "high" },
      { task_id: "", agent: "claude", model: "sonnet", effort: "low" },
      { task_id: "", agent: "gemini", model: "gemini-x", effort: "high" },
      { task_id: "", effort: "medium" },
    ]);
    const calls = [];
    for (const agent of ["codex", "claude", "gemini", "claude"]) {
      const n = calls.length;
      await workOnce("--agent", "claude,codex,gemini", "--model", "haiku");
      expect(await job(n)).toMatchObject({ status: "done", attempts: [{ agent, outcome: "done" }] });
      calls.push(at(callsIn(folder), 0).words.join(" "));
    }
    expect(calls[0]).toMatch(/^exec .*-m gpt-x -c model_reasoning_effort="high"/);
    expect(calls[1]).toMatch(/^-p .*--model sonnet --effort low/);
    expect(read(join(folder, "own/gemini-words"))).toBe("--acp --model gemini-x\n");
    // The model of the command line is of the first agent, for what names none.
    expect(calls[3]).toMatch(/^-p .*--model haiku --effort medium/);
  });

  it("A worker is never handed a task that names an agent it does not have", async () => {
    const { work, job } = await begin("ANOTHER", [{ task_id: "", agent: "opencode" }]);
    const worker = work("--agent", "claude,codex");
    await worker.said(/No job: .*opencode/);
    expect(await worker.end("SIGTERM")).toBe(0);
    expect(await job(0)).toMatchObject({ status: "queued", attempt: 0 });
  });

  it.each(["claude", "codex"])(
    "The model of requires_opus goes to Claude Code alone, when auto follows the repository (%s)",
    async (agent) => {
      const place = join(home, `repo-of-${agent}`);
      const git = makeRepository(place);
      writeFileSync(join(place, ".backloom.yml"), `agent: ${agent}\n`);
      git("add", ".");
      git("commit", "--quiet", "-m", "Rules");
      const wish = { task_id: "", effort: "high" as const };
      const { workOnce, job, folder } = await begin(`OPUS${agent.toUpperCase()}`, [wish], place);
      const { task_id } = await job(0);
      await t.query`update tasks set requires_opus = true where id = ${task_id}`;
      await workOnce("--agent", "auto");
      expect(await job(0)).toMatchObject({ status: "done", attempts: [{ agent }] });
      const words = at(callsIn(folder), 0).words.join(" ");
      if (agent === "claude") expect(words).toContain("--model opus");
      else expect(words).not.toContain("opus");
    },
  );
});
