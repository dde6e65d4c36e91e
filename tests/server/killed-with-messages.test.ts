import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { getAgentJob } from "~/nouns/agent-jobs/operations.server";
import { listComments, listJobMessages } from "~/nouns/comments/operations.server";
import { cancelSprintRun } from "~/nouns/sprint-runs/operations.server";
import { commentSchema } from "~/wire/comments/contract";
import { at, bearer } from "../setup/world";
import { gitIn, startRun } from "../worker/fixture";
import { flags } from "../worker/flags";
import { fakeAgent, read, startWorker, type WorkerProcess } from "../worker/worker-process";
import { kills, openKillStage, seed } from "./kill-stage";

/** People write to the agent while agent, worker and service are killed with -9 at random moments. */
const stage = await openKillStage("People write");
const { ada, actor, token, home, repo, gate, draw } = stage;

type Victim = "agent" | "worker" | "service";
const victims: readonly Victim[] = ["agent", "worker", "service"];
const ended = ["done", "failed", "skipped", "cancelled"];

/** What happens in a round, and when: milliseconds after the start of the worker, for the agent after that of its work. */
interface Plan {
  victim: Victim;
  way: "exec" | "acp";
  killAt: number;
  writeAt: number[];
  workMilliseconds: number;
  /** The next attempt runs on the machine of the first one, or on another. */
  staysHere: boolean;
  isCancelled: boolean;
}

function drawPlan(round: number): Plan {
  const workMilliseconds = Math.round(300 + draw() * 1_500);
  const victim = victims[round % victims.length] ?? "agent";
  // Start, claim and worktree take about two seconds, the end of a job one.
  const span = victim === "agent" ? workMilliseconds : 3_000 + workMilliseconds;
  return {
    victim,
    way: draw() < 0.5 ? "exec" : "acp",
    killAt: Math.round(draw() * span),
    writeAt: [0, 1].map(() => Math.round(draw() * (3_000 + workMilliseconds))),
    workMilliseconds,
    staysHere: draw() < 0.5,
    isCancelled: draw() < 0.15,
  };
}

/** One run of one task with its machines, each with a clone of the same repository. */
async function openRound(code: string, { way, workMilliseconds }: Plan) {
  const run = await startRun(stage.store, ada, { code });
  const folder = join(home, code);
  const origin = join(folder, "origin.git");
  gitIn(home)("clone", "--quiet", "--bare", repo, origin);
  const heard = join(folder, "heard.jsonl");
  // The worker continues writing to the file that it has opened, no matter what its name is.
  const exec = `sleep ${workMilliseconds / 1000}; mv "$BACKLOOM_MESSAGES" heeded.jsonl`;
  const start = (machine: string): WorkerProcess => {
    const clone = join(folder, machine);
    if (!existsSync(clone)) {
      gitIn(folder)("clone", "--quiet", origin, clone);
      mkdirSync(`${clone}-home`);
      writeFileSync(join(`${clone}-home`, "ending"), "patient");
    }
    const acp = `acp:HOME='${clone}-home' FAKE_HEARD='${heard}' FAKE_MILLISECONDS=${workMilliseconds} exec '${process.execPath}' '${fakeAgent}'`;
    return startWorker([
      ...flags({ url: gate.url, token, product: code, name: machine, once: true, repo: clone }),
      ...flags({ "work-dir": `${clone}-work`, heartbeat: "0.3" }),
      ...(way === "exec" ? ["--exec", exec] : ["--agent", acp]),
    ]);
  };
  const first = at((await run.read()).jobs, 0);
  return {
    ...run,
    start,
    taskId: String(first.task_id),
    job: () => getAgentJob(actor, { job_id: first.id }),
    messages: async () => (await listJobMessages(actor, { job_id: first.id })).messages,
    worktrees: join(folder, "here-work/workers/here/worktrees"),
    /** Whether the agent of this attempt has read a text, as the agent itself or the delivered work says it. */
    hasRead(text: string, { attempt, branch }: { attempt: number; branch: string | null }): boolean {
      if (way === "exec") return gitIn(origin)("show", `${branch}:heeded.jsonl`).includes(text);
      const lines = read(heard).split("\n").filter(Boolean);
      return lines.some((line) => {
        const { attempt: by, words } = JSON.parse(line);
        return by === String(attempt) && words.includes(text);
      });
    },
  };
}
type Round = Awaited<ReturnType<typeof openRound>>;

/** Ada writes to the agent until she hears what became of it; undefined when she is told that no agent works there any more. */
async function write({ taskId }: Round, body: string): Promise<string | undefined> {
  const headers = { ...bearer(token), "content-type": "application/json", "idempotency-key": body };
  const wish = { method: "POST", headers, body: JSON.stringify({ body, send_to_agent: true }) };
  for (;;) {
    const answer = await fetch(`${gate.url}/api/tasks/${taskId}/comments`, wish).catch(() => null);
    if (answer?.status === 201) return commentSchema.parse(await answer.json()).id;
    if (answer?.status === 409 && !answer.headers.has("retry-after")) {
      expect((await answer.json()).error).toContain("No agent is working on this");
      return undefined;
    }
    await wait(100);
  }
}

async function kill({ victim, killAt }: Plan, { worktrees }: Round, worker: WorkerProcess) {
  if (victim === "agent") return stage.killAgent(worktrees, worker, killAt);
  await wait(killAt);
  return stage.kill(victim, worker.process);
}

/** Workers come until the job has ended; none of them lives when the next one does. */
async function finish(round: Round, { staysHere, isCancelled }: Plan, first: WorkerProcess) {
  if (isCancelled) {
    await cancelSprintRun(actor, { sprint_run_id: round.runId }).catch(() => null);
    // A worker that has no job yet would wait for another one.
    if ((await round.job()).attempt === 0) first.process.kill("SIGTERM");
  }
  let worker = first;
  for (let tries = 0; tries < 6; tries += 1) {
    await worker.ended;
    const job = await round.job();
    if (ended.includes(job.status)) return { job, said: worker.output() };
    await stage.expire(job.id);
    expect((await round.job()).status, worker.output()).toBe("queued");
    worker = round.start(staysHere ? "here" : "there");
  }
  throw new Error(`The job does not end:\n${worker.output()}`);
}

describe(`${kills} kills (KILL_SEED=${seed})`, () => {
  it("Kills lose no message: each is read by the attempt that delivers, or is marked undelivered with why", {
    timeout: 60_000 + kills * 60_000,
  }, async () => {
    const states: Record<string, number> = {};
    let hits = 0;
    for (let rounds = 0; hits < kills; rounds += 1) {
      const plan = drawPlan(rounds);
      const round = await openRound(`K${rounds}`, plan);
      const worker = round.start("here");
      const written = plan.writeAt.map(async (moment, index) => {
        await wait(moment);
        const body = `Round ${rounds}, message ${index + 1}.`;
        return { body, id: await write(round, body) };
      });
      const [isHit, ...said] = await Promise.all([kill(plan, round, worker), ...written]);
      if (isHit) hits += 1;
      const { job, said: output } = await finish(round, plan, worker);

      const story = `${JSON.stringify({ rounds, ...plan, isHit })}\n${worker.output()}\n${output}`;
      const sent = said.filter(({ id }) => id !== undefined);
      const { comments } = await listComments(actor, { kind: "task", id: round.taskId });
      expect(comments.map(({ id }) => id).toSorted(), story).toEqual(sent.map(({ id }) => id).toSorted());
      const messages = await round.messages();
      expect(messages.map(({ text }) => text).toSorted(), story).toEqual(sent.map(({ body }) => body).toSorted());
      for (const { text, state, reason } of messages) {
        states[`${job.status}: ${state}`] = (states[`${job.status}: ${state}`] ?? 0) + 1;
        expect(["seen", "acted_on", "undelivered"], story).toContain(state);
        if (state === "undelivered") expect(reason, story).toMatch(/^The job (was )?\w+ before/);
        const wasRead = round.hasRead.bind(null, text);
        if (state === "acted_on") expect(wasRead(job), `${text}\n${story}`).toBe(true);
        // What is said to be unread was not read by the attempt that ended the job.
        if (state === "undelivered" && job.status === "done") {
          expect(wasRead(job), `${text} was read\n${story}`).toBe(false);
        }
      }
      if (job.status === "done") expect(messages.filter(({ state }) => state === "seen")).toEqual([]);
    }
    console.log(JSON.stringify(states));
  });
});
