import { spawn } from "node:child_process";
import { once } from "node:events";
import { basename, join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { z } from "zod";
import { personsEnvironment } from "../base/environment";
import { interruptible } from "../base/interruption";
import { WorkerProblem } from "../base/problems";
import { openWorkFolder } from "../base/work-folder";
import { findKept } from "../git/kept-branch";
import { readRules } from "../git/rules";
import type { Worktree } from "../git/worktree";
import type { Attempt } from "../job/attempt";
import { testCommandOf } from "../job/evidence";
import { keeperOf, openAttempt, prepare } from "../job/open-attempt";
import { returnJob } from "../job/reports";
import { conversationsIn } from "../job/sessions";
import { type Taken, workerHomes, writeTaken } from "../job/taken";
import { beginTask } from "../job/task-job";
import { receivedJobSchema } from "../service/received-claim";
import { keepLease } from "./keep-lease";
import { openHand, orSay, splitHandWords } from "./open-hand";
import { resumeLine } from "./resume-line";

const answerSchema = z.object({
  job: receivedJobSchema.nullable(),
  waits_for: z.string().nullable(),
});
const askAgainMilliseconds = 1_000;

type Hand = ReturnType<typeof openHand>;
type Job = z.output<typeof receivedJobSchema>;

/** take T-42: the job goes from its agent to the person, with its worktree and its conversation. */
export async function take(words: readonly string[], stopSignal: AbortSignal): Promise<void> {
  const { task, rest, hasFlag } = splitHandWords(words, "--now");
  if (task === undefined) throw new WorkerProblem("Name the task: take T-42");
  const hand = openHand(rest, stopSignal);
  try {
    const job = await claimByHand(hand, task, hasFlag);
    const taken = await begin(hand, job);
    tell(taken);
    await (process.stdin.isTTY ? openShell(taken, hand) : leaveLease(taken, hand));
  } finally {
    await hand.service.close();
  }
}

/** Asks until the agent has ended its tool call. */
async function claimByHand(hand: Hand, task: string, at_once: boolean): Promise<Job> {
  const { options, service, journal, stopSignal } = hand;
  const wish = { task, product: options.product, worker: `${options.name} terminal`, at_once };
  for (;;) {
    const { job, waits_for } = await orSay(service.post("/api/jobs/take", wish, answerSchema));
    if (job !== null) return job;
    journal.sayOnce(`Waiting for worker ${waits_for} to end its tool call (--now does not wait)`);
    await wait(askAgainMilliseconds, undefined, { signal: stopSignal });
  }
}

/** Makes the worktree where the agent had its conversation, with the work so far. Returns the job if that fails. */
async function begin(hand: Hand, job: Job): Promise<Taken> {
  const { options } = hand;
  const known = await findConversation(options.workDir, job);
  const ownHome = join(options.workDir, "workers", options.name.replace(/[^A-Za-z0-9._-]/g, "_"));
  const home = known?.home ?? ownHome;
  const folder = await openWorkFolder(options.workDir, home, `${options.name} terminal`);
  const attempt = openAttempt({ ...hand, job, folder });
  attempt.sessionId = known?.sessionId ?? sessionBefore(job);
  try {
    const worktree = await interruptible(attempt.heartbeat.signal, () =>
      prepare(attempt, known?.folder),
    );
    attempt.keep = keeperOf(attempt, worktree);
    const { work, assignment } = await beginOrReturn(attempt, worktree);
    const { repository: _repository, remove: _remove, ...place } = worktree;
    const taken = {
      ...{
        job,
        home,
        work,
        resolution: assignment.resolution,
        worktree: place,
        repo: options.repo,
      },
      ...{ agent: known?.agent ?? null, sessionId: attempt.sessionId },
      ...{ pid: process.pid, since: new Date() },
    };
    await writeTaken(taken);
    return taken;
  } catch (error) {
    await returnJob(attempt, (await attempt.keep()) ?? undefined).catch(() => undefined);
    throw error;
  } finally {
    attempt.heartbeat.end();
    await attempt.output.close();
  }
}

async function beginOrReturn(attempt: Attempt, worktree: Worktree) {
  const { job, heartbeat } = attempt;
  try {
    attempt.rules = await readRules(worktree);
    const here = { ...worktree.repository, folder: worktree.folder };
    const context = {
      checkout: worktree.checkout,
      testCommand: testCommandOf(attempt),
      kept: await findKept(here, [job.id, ...job.earlier_jobs]),
    };
    const work = () => beginTask(attempt, worktree, context);
    const begun = await interruptible(heartbeat.signal, work);
    if (begun !== null) return begun;
    throw new WorkerProblem("The job cannot begin now; its page says why");
  } catch (error) {
    await attempt.keep();
    if (attempt.leftIn === null) await worktree.remove();
    throw error;
  }
}

/** The agent's conversation about a job, of any worker of this machine. */
async function findConversation(workDir: string, job: Job) {
  for (const home of await workerHomes(workDir)) {
    const known = await conversationsIn(join(home, "sessions"), job.id);
    if (known === null) continue;
    const { agent, folder, sessions } = known;
    return { home, agent, folder: basename(folder), sessionId: sessions[job.task?.code ?? ""] };
  }
  return null;
}

/** A command's conversation is known to the service only. */
function sessionBefore(job: Job): string | null {
  const before = job.earlier_attempts.find(
    ({ job_id, session_id }) => job_id === job.id && session_id,
  );
  return before?.session_id ?? null;
}

/** Plain lines, for people to copy. */
function tell({ job, worktree, agent, sessionId }: Taken): void {
  const line = resumeLine(agent, sessionId);
  const code = job.task?.code ?? "";
  const place = `cd '${worktree.folder.replaceAll("'", "'\\''")}'`;
  const resume =
    line === null && sessionId !== null
      ? `${place}    # the conversation of the agent is ${JSON.stringify(sessionId)}`
      : [place, ...(line === null ? [] : [line])].join(" && ");
  process.stdout.write(
    `${code} is yours, on the branch ${job.branch ?? worktree.branch}:\n  ${resume}\nHand it in there with give, or return it to the agents with give --back.\n`,
  );
}

async function openShell(taken: Taken, { options, journal }: Hand): Promise<void> {
  let isClosed = false;
  const shell = spawn(process.env.SHELL || "/bin/sh", {
    cwd: taken.worktree.folder,
    stdio: "inherit",
    env: { ...personsEnvironment(), BACKLOOM_URL: options.url, BACKLOOM_TOKEN: options.token },
  });
  const closed = once(shell, "exit").then(() => {
    isClosed = true;
  });
  await Promise.all([closed, keepLease(taken, options, () => isClosed)]);
  journal.say(
    "The terminal is closed. In five minutes, work you did not give becomes a kept branch",
  );
}

async function leaveLease(taken: Taken, { options }: Hand): Promise<void> {
  const words = ["take", "--keep-lease", taken.worktree.folder, String(process.ppid)];
  const child = spawn(process.execPath, [...process.execArgv, process.argv[1] ?? "", ...words], {
    detached: true,
    stdio: "ignore",
    cwd: "/",
    env: { ...process.env, BACKLOOM_URL: options.url, BACKLOOM_TOKEN: options.token },
  });
  child.unref();
  await writeTaken({ ...taken, pid: child.pid ?? taken.pid });
}
