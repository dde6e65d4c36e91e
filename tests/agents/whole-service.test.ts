import { existsSync, readdirSync, readlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { getAgentJob } from "~/nouns/agent-jobs/operations.server";
import { addComment, listJobMessages } from "~/nouns/comments/operations.server";
import { answerQuestion } from "~/nouns/questions/operations.server";
import { reviewJob } from "~/nouns/reviews/operations.server";
import { cancelSprintRun } from "~/nouns/sprint-runs/operations.server";
import { startTcpProxy } from "../setup/tcp-proxy";
import { at } from "../setup/world";
import { openStage, startRun } from "../worker/fixture";
import { flags } from "../worker/flags";
import { sandboxProblem } from "../worker/sandbox-scene";
import { openToolGate } from "../worker/tool-gate";
import { isAlive, read, startWorker } from "../worker/worker-process";
import { openModel, type ScriptedModel } from "./models/open-model";
import { type Step, tokensOfAnswer } from "./models/script";
import { environmentFor, type RealTool, toolsHere } from "./toolbox";
import { makeStage } from "./turn";

const stage = await openStage();
const { t, app, ada, token, home, repo, git } = stage;
const actor = t.actorOf(ada);
const openHome = makeStage();
let scenes = 0;
/** What people really use, where it works. */
const confined = sandboxProblem === null ? ["--sandbox", "bwrap"] : [];

/** A run of one task, a tool in its own home with a model that follows a script, and a worker for them. */
async function openScene(tool: RealTool, script: readonly Step[], tasks = 1) {
  scenes += 1;
  const code = `REAL${scenes}`;
  const run = await startRun(t, ada, { code, tasks });
  const model = await openModel(tool.dialect, script);
  const place = openHome().home;
  const environment = environmentFor(tool, place, model);
  const start = (url = app.origin, ...words: string[]) =>
    startWorker(
      [
        ...flags({ url, token, "work-dir": join(home, "work"), repo, product: code, name: `worker-${code}` }),
        ...flags({ agent: tool.agent, heartbeat: "1", silence: "4" }),
        ...words,
        ...confined,
      ],
      environment,
    );
  const job = async () => getAgentJob(actor, { job_id: at((await run.read()).jobs, 0).id });
  /** In a sandbox each job has its own home. */
  const homeOfJob = async () => join(home, "work", "workers", `worker-${code}`, "homes", (await job()).id);
  const goOn = async (steps: readonly Step[]) => {
    model.goOnWith(steps);
    tool.letTimePass?.(confined.length > 0 ? await homeOfJob() : place);
    await t.query`update agent_jobs set not_before = null where id = ${(await job()).id}`;
  };
  const work = async () => {
    const worker = start(undefined, "--once");
    expect(await worker.ended, worker.output()).toBe(0);
    return worker.output();
  };
  const toolPid = () => pidBelow(join(home, "work", "workers", `worker-${code}`, "worktrees"));
  const folderOfJob = async (file: string) =>
    join(home, "work", "workers", `worker-${code}`, "worktrees", `${(await job()).id}-1`, file);
  return { run, model, start, job, goOn, work, toolPid, folderOfJob };
}

/** The process group of the tool, as the worker has noted it. */
function pidBelow(worktrees: string): number {
  const notes = readdirSync(worktrees).filter((name) => name.endsWith(".files"));
  return JSON.parse(read(join(worktrees, at(notes, 0), "command.pid"))).pid;
}

/** Whatever works in the worktrees. */
function processesIn(folder: string): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((name) => {
      try {
        return readlinkSync(`/proc/${name}/cwd`).startsWith(`${folder}/`);
      } catch {
        return false;
      }
    })
    .map(Number);
}

/** What the job says it took, as the model counts it. */
function tokensOf(job: Awaited<ReturnType<typeof getAgentJob>>): ScriptedModel["said"] {
  return {
    input: job.input_tokens ?? 0,
    output: job.output_tokens ?? 0,
    cacheRead: job.cache_read_tokens ?? 0,
    cacheWrite: job.cache_write_tokens ?? 0,
  };
}

function without(all: ScriptedModel["said"], one: ScriptedModel["said"]): ScriptedModel["said"] {
  return {
    input: all.input - one.input,
    output: all.output - one.output,
    cacheRead: all.cacheRead - one.cacheRead,
    cacheWrite: all.cacheWrite - one.cacheWrite,
  };
}

const asking = JSON.stringify({ question: { question: "Which color?", options: ["Red", "Green"] } });
const write = (file: string): Step => ({ run: `sleep 1; echo ${file} > ${file}` });
const filesOf = (ref: string) => git("ls-tree", "-r", "--name-only", ref).split("\n");

it("A test run says which real tools it ran with the whole service", () => {
  console.log(`Whole service with: ${toolsHere.map(({ way }) => way).join(", ") || "none"}`);
});

for (const tool of toolsHere) {
  describe(`${tool.way} with service, worker and a scripted model`, { timeout: 300_000 }, () => {
    it("A real agent asks a person and continues in the same session, with its tokens counted once", async () => {
      const { run, model, work, job, goOn } = await openScene(tool, [
        { run: `sleep 1; printf '%s' '${asking}' > .backloom/result.json` },
        { say: "I have asked for the color." },
      ]);
      expect(await work()).toContain("Asked: Which color?");
      const parked = await job();
      expect(parked).toMatchObject({ status: "queued", retry_count: 0 });
      expect(tokensOf(parked)).toEqual(model.said);
      await answerQuestion(actor, { question_id: String(parked.parked_question_id), option: 1 });
      await goOn([write("green.txt"), { say: "It is green." }]);
      await work();
      const done = await job();
      expect(done).toMatchObject({ status: "done", summary: "It is green." });
      expect(filesOf(String(done.branch))).toEqual(["green.txt"]);
      expect(tokensOf(done)).toEqual(model.said);
      const heard = JSON.stringify(model.asked.at(-1));
      for (const words of ["Write a line", "I have asked for the color.", "Green"]) {
        expect(heard).toContain(words);
      }
      expect((await run.read()).status).toBe("done");
    });

    it("A real agent hears what a person writes, during its work or in one more turn of its conversation", async () => {
      const wait = { run: "touch begun; while [ ! -e go ]; do sleep 0.1; done; echo ran" };
      // What is not heard in the middle is heard once the turn has ended.
      const first = tool.way === "codex exec" ? [wait, { say: "Done." }] : [wait];
      const script = [...first, write("told.txt"), { say: "Done as told." }];
      const { run, model, start, job, folderOfJob } = await openScene(tool, script);
      const gate = await openToolGate(app.port);
      const worker = start(gate.url, "--once", "--silence", "60");
      await vi.waitFor(async () => expect(existsSync(await folderOfJob("begun")), worker.output()).toBe(true), {
        timeout: 120_000,
      });
      const { id, task_id } = await job();
      const body = "Use tabs, not spaces.";
      await addComment(actor, { kind: "task", id: String(task_id), body, send_to_agent: true });
      // One heartbeat is under way at a time: when the second begins, the first has brought the message.
      const beats = gate.given("job_heartbeat").length;
      await vi.waitFor(() => expect(gate.given("job_heartbeat").length).toBeGreaterThan(beats + 1), {
        timeout: 60_000,
      });
      writeFileSync(await folderOfJob("go"), "");
      expect(await worker.ended, worker.output()).toBe(0);
      const done = await job();
      expect(done, worker.output()).toMatchObject({ status: "done", summary: "Done as told." });
      expect(filesOf(String(done.branch))).toContain("told.txt");
      expect(JSON.stringify(model.asked.at(-1))).toContain(body);
      expect((await listJobMessages(actor, { job_id: id })).messages).toMatchObject([
        { text: body, state: "acted_on", attempt: 1 },
      ]);
      expect((await run.read()).status).toBe("done");
    });

    it("A real agent takes up a review in the session in which it did the work", async () => {
      const script = [write("first.txt"), { say: "I have written it." }];
      const { model, work, job, goOn } = await openScene(tool, script, 2);
      await work();
      const done = await job();
      expect(done).toMatchObject({ status: "done", summary: "I have written it." });
      await reviewJob(actor, { job_id: done.id, verdict: "request_changes", summary: "Make it a poem." });
      await goOn([write("poem.txt"), { say: "It rhymes now." }]);
      await work();
      const again = await getAgentJob(actor, { job_id: done.id });
      expect(again).toMatchObject({ status: "done", attempt: 2, summary: "It rhymes now." });
      expect(filesOf(String(again.branch))).toEqual(["first.txt", "poem.txt"]);
      expect(tokensOf(again)).toEqual(model.said);
      const heard = JSON.stringify(model.asked.at(-1));
      for (const words of ["I have written it.", "Make it a poem."]) expect(heard).toContain(words);
    });

    it("A real agent ends within five seconds of a cancel on the board, and nothing is lost", async () => {
      const { run, model, start, job, toolPid } = await openScene(tool, [write("half.txt"), { hang: true }]);
      const worker = start(undefined, "--once", "--heartbeat", "600");
      await Promise.race([model.hung, worker.ended]);
      const pid = toolPid();
      expect(isAlive(pid), worker.output()).toBe(true);
      const before = Date.now();
      await cancelSprintRun(actor, { sprint_run_id: run.runId });
      await vi.waitFor(() => expect(isAlive(pid)).toBe(false), { timeout: 30_000, interval: 50 });
      const seconds = (Date.now() - before) / 1000;
      await worker.ended;
      expect(seconds).toBeLessThan(5);
      const cancelled = await job();
      expect(filesOf(`backloom/kept/${cancelled.id}-1`)).toEqual(["half.txt"]);
      expect(tokensOf(cancelled)).toEqual(model.said);
    });

    it("A real agent's work outlives kill -9 of tool and worker, and the loss of the service", async () => {
      const { run, model, start, job, goOn, toolPid } = await openScene(tool, [write("one.txt"), { hang: true }]);
      const first = start(undefined, "--once");
      await Promise.race([model.hung, first.ended]);
      process.kill(-toolPid(), "SIGKILL");
      await first.ended;
      const { id, ...waiting } = await job();
      expect(waiting, first.output()).toMatchObject({ status: "queued", retry_count: 0 });
      expect(filesOf(`backloom/kept/${id}-1`)).toEqual(["one.txt"]);
      expect(tokensOf(await job())).toEqual(model.said);

      // Late enough for the tool to have noted the call, and long enough for a kill in its middle.
      await goOn([{ run: "sleep 2; echo two > two.txt; touch begun; sleep 600" }]);
      const second = start();
      const worktrees = join(home, "work", "workers");
      const hasBegun = () =>
        readdirSync(worktrees, { recursive: true, encoding: "utf8" }).some(
          (name) => name.endsWith(`${id}-1/begun`) || name.endsWith(`${id}-2/begun`),
        );
      await vi.waitFor(() => expect(hasBegun(), second.output()).toBe(true), { timeout: 120_000 });
      await second.end("SIGKILL");
      const killed = await job();
      const left = processesIn(join(home, "work", "workers"));
      // A sandbox ends with the worker that opened it.
      if (confined.length === 0) {
        expect(left, "no command was at work when the worker was killed").not.toEqual([]);
      }

      await goOn([{ run: "sleep 3; echo three > three.txt" }, { say: "All three." }]);
      const proxy = await startTcpProxy(app.port);
      const third = start(`http://127.0.0.1:${proxy.port}`, "--once");
      await third.said(/Claimed/);
      expect(left.filter(isAlive)).toEqual([]);
      await vi.waitFor(async () => expect((await job()).status).toBe("running"), 120_000);
      proxy.refuse();
      await vi.waitFor(() => expect(third.output()).toMatch(/does not answer|No heartbeat/), 120_000);
      proxy.allow();
      expect(await third.ended, third.output()).toBe(0);
      await proxy.close();
      const done = await job();
      expect(done).toMatchObject({ status: "done", summary: "All three." });
      const lost = done.attempts.find(({ attempt }) => attempt === killed.attempt);
      if (tool.recordsCallsUnderWay) {
        expect(tokensOf(done)).toEqual(model.said);
        expect(lost?.usage).toMatchObject({ input_tokens: 100 });
      } else {
        expect(tokensOf(done)).toEqual(without(model.said, tokensOfAnswer));
        expect(lost?.usage).toMatchObject({ input_tokens: null });
      }
      expect((await run.read()).status).toBe("done");
      const kept = git("for-each-ref", "--format=%(refname:short)", `refs/heads/backloom/kept/${id}-*`);
      expect(kept.split("\n").flatMap(filesOf)).toEqual(expect.arrayContaining(["one.txt", "two.txt"]));
      expect(filesOf(String(done.branch))).toContain("three.txt");
    });
  });
}
