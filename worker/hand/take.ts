import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { basename, join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { z } from "zod";
import { type KnownAgent, knownAgents } from "~/wire/workers/known-agents";
import { personsEnvironment } from "../base/environment";
import { interruptible } from "../base/interruption";
import { endLeftRunning } from "../base/orphans";
import { WorkerProblem } from "../base/problems";
import { print } from "../base/terminal";
import { isRunning, markOf, openWorkFolder } from "../base/work-folder";
import { gitPaths } from "../git/git";
import { cloneHere } from "../git/repository";
import type { Worktree } from "../git/worktree";
import type { Attempt } from "../job/attempt";
import { awaitRemoval } from "../job/open/leftovers";
import { openAttempt, openWorkspace, prepare } from "../job/open/open-attempt";
import { aloneWith, listTaken, type Taken, workerHomes, writeTaken } from "../job/open/taken";
import { returnJob } from "../job/report/reports";
import { beginTask } from "../job/task-job";
import { conversationsIn } from "../job/turn/sessions";
import { noSandbox } from "../sandbox/sandbox";
import { receivedJobSchema } from "../service/received-claim";
import { isHeld, keepLease } from "./keep-lease";
import { lendSession } from "./lend-session";
import { type Hand, openHand, orSay, splitHandArgs } from "./open-hand";
import { type OpenPendingTake, openPendingTake, type PendingTake, pendingTakeFile } from "./pending-takes";

const answerSchema = z.object({ job: receivedJobSchema.nullable(), waits_for: z.string().nullable() });
const askAgainMilliseconds = 1_000;

type Job = z.output<typeof receivedJobSchema>;

/** take T-42: the job goes from its agent to the person, with its worktree and its conversation. */
export async function take(args: readonly string[], stopSignal: AbortSignal): Promise<void> {
  const { task, rest, hasFlag } = splitHandArgs(args, "--now");
  if (task === undefined) throw new WorkerProblem("Name the task: take T-42");
  const hand = await openHand(rest, stopSignal);
  try {
    const taken = await takeOnce(hand, task.toUpperCase(), hasFlag);
    await printFolder(taken);
    await (process.stdin.isTTY ? openShell(taken, hand) : leaveLease(taken));
  } finally {
    await hand.service.close();
  }
}

/** Continues where a take died that wanted the same on this machine; one at a time does. */
async function takeOnce(hand: Hand, task: string, at_once: boolean): Promise<Taken> {
  const { options, sandboxes } = hand;
  const worker = `${options.name} terminal`;
  const { confinement } = sandboxes;
  const request = { task, product: options.product, worker, confinement };
  const pending = await openPendingTake(pendingTakeFile(hand.home, options.url, request));
  if (pending === null) throw new WorkerProblem(`${task} is being taken here: end the other take`);
  try {
    const taken = await takeUp(hand, task);
    if (taken !== null) return taken;
    return await begin(hand, await claimByHand(hand, request, pending, at_once));
  } finally {
    await pending.forget();
    await pending.close();
  }
}

/** What the person still has, whose terminal died; null if there is nothing. */
async function takeUp(hand: Hand, task: string): Promise<Taken | null> {
  const { options, service } = hand;
  const isNamed = ({ code, id }: Job["product"]) =>
    options.product === undefined || [code, id.toUpperCase()].includes(options.product.toUpperCase());
  for (const found of await listTaken(options.workDir)) {
    const { job } = found;
    if (job.task?.code !== task || !isNamed(job.product) || (await isRunning(found.keeper))) continue;
    if (!(await isHeld(service, job))) continue;
    return aloneWith(found, async (taken) => {
      await endLeftRunning(job.id);
      const own = { ...taken, keeper: await markOf(process.pid), service: loginOf(hand.options) };
      await writeTaken(own);
      return own;
    });
  }
  return null;
}

const loginOf = ({ url, token }: Hand["options"]) => ({ url, token });

/** Asks until the agent has ended its tool call; first as a take did that was killed. */
async function claimByHand(
  { options, service, journal, stopSignal }: Hand,
  request: Record<string, unknown>,
  pending: OpenPendingTake,
  at_once: boolean,
): Promise<Job> {
  const { url } = options;
  let call: PendingTake = pending.before ?? { url, key: randomUUID(), at_once };
  for (;;) {
    await pending.note(call);
    const given = { ...request, at_once: call.at_once };
    const { job, waits_for } = await orSay(service.post("/api/jobs/take", given, answerSchema, call.key));
    if (job !== null && (await isHeld(service, job))) {
      await pending.note({ ...call, job: { id: job.id, attempt: job.attempt } });
      return job;
    }
    call = { url, key: randomUUID(), at_once };
    if (job !== null) continue;
    const what = at_once ? "stop" : "end its tool call (--now does not wait for it)";
    journal.sayOnce(`Waiting for worker ${waits_for} to ${what}`);
    await wait(askAgainMilliseconds, undefined, { signal: stopSignal });
  }
}

/** Makes the worktree where the agent had its conversation, with the work so far. Returns the job if that fails. */
async function begin(hand: Hand, job: Job): Promise<Taken> {
  const options = { ...hand.options, repo: hand.options.repo ?? (await cloneHere(job.repo_url)) };
  const known = await findConversation(options.workDir, job);
  const home = known.home ?? hand.home;
  const folder = await openWorkFolder(options.workDir, home, `${options.name} terminal`);
  const attempt = openAttempt({ ...hand, options, job, folder });
  attempt.tally.sessionId = known.sessionId;
  try {
    await awaitRemoval(options.workDir, job.id);
    const worktree = await interruptible(attempt.heartbeat.signal, () => prepare(attempt, known.folder));
    attempt.keeper.begin(worktree);
    const { begunIn, work, assignment } = await beginOrReturn(attempt, worktree, hand.sandboxes);
    const taken = {
      job,
      home,
      work,
      resolution: assignment.resolution,
      worktree: begunIn,
      repo: options.repo,
      confinement: hand.sandboxes.confinement,
      agent: known.agent,
      sessionId: known.sessionId,
      keeper: await markOf(process.pid),
      since: new Date(),
      service: loginOf(options),
      lent: await lendSession({ ...known, home, job }),
    };
    await writeTaken(taken);
    return taken;
  } catch (error) {
    await returnJob(attempt, (await attempt.keeper.keep()) ?? undefined).catch(() => undefined);
    throw error;
  } finally {
    attempt.heartbeat.end();
    await attempt.output.close();
  }
}

async function beginOrReturn(attempt: Attempt, worktree: Worktree, sandboxes: Hand["sandboxes"]) {
  let sandbox = noSandbox;
  try {
    const begun = await interruptible(attempt.heartbeat.signal, async () => {
      const workspace = await openWorkspace(attempt, sandboxes, worktree);
      sandbox = workspace.sandbox;
      const begun = await beginTask(attempt, workspace);
      const { folder, branch, checkout, branchTip, start, main } = workspace;
      const begunIn = { folder, branch, checkout, branchTip, start, main };
      return begun && { ...begun, begunIn };
    });
    if (begun !== null) return begun;
    throw new WorkerProblem("The job cannot begin now; its page says why");
  } catch (error) {
    await attempt.keeper.keep();
    await attempt.keeper.removeWorktree();
    throw error;
  } finally {
    await sandbox.close();
  }
}

/** Of any worker of this machine; the service knows a command's. With `auto`, an attempt says whose it is. */
async function findConversation(workDir: string, job: Job) {
  const found = (await workerHomes(workDir)).map(async (home) => {
    const known = await conversationsIn(join(home, "sessions"), job.id);
    return known === null ? [] : [{ ...known, home }];
  });
  const [known] = (await Promise.all(found)).flat();
  const attempts = job.earlier_attempts.filter(({ session_id }) => session_id);
  const own = attempts.find(({ job_id }) => job_id === job.id);
  const sessionId = known?.sessions[job.task?.code ?? ""] ?? own?.session_id ?? null;
  const had = attempts.find(({ session_id }) => session_id === sessionId);
  const folder = known && basename(known.folder);
  return { home: known?.home, folder, sessionId, agent: had?.agent ?? known?.agent ?? null };
}

/** Plain lines, for people to copy. */
async function printFolder({ job, worktree, agent, sessionId, lent }: Taken): Promise<void> {
  const settings = await settingsIn(worktree);
  if (settings.length > 0) {
    print(
      `This work has settings that tools may follow when you open them there, look at them first:\n  ${settings.join("\n  ")}\n`,
    );
  }
  const line = lent?.length === 0 ? null : resumeLine(agent, sessionId);
  const code = job.task?.code ?? "";
  const command = `cd '${worktree.folder.replaceAll("'", "'\\''")}'`;
  const resume =
    line === null && sessionId !== null
      ? `${command}    # the conversation of the agent is ${JSON.stringify(sessionId)}`
      : [command, ...(line === null ? [] : [line])].join(" && ");
  print(
    `${code} is yours, on the branch ${job.branch ?? worktree.branch}:\n  ${resume}\nHand it in there with give, or return it to the agents with give --back.\n`,
  );
}

/** Hidden files of the work, as tools have their settings in them: hooks, plugins and servers run as the person. */
async function settingsIn({ folder, main }: Taken["worktree"]): Promise<string[]> {
  const changed = await gitPaths(folder, "diff", "--name-only", "--merge-base", main);
  const made = await gitPaths(folder, "ls-files", "--others", "--exclude-standard");
  const isSetting = (path: string) =>
    /(^|\/)(\.(?!git(hub|lab|ignore|attributes|keep|modules)?(\/|$))|opencode\.jsonc?$)/.test(path);
  return [...new Set([...changed, ...made])].filter(isSetting);
}

/** Null where there is none. The id comes from the agent and ends up in a shell: only plain characters pass. */
function resumeLine(agent: string | null, sessionId: string | null): string | null {
  if (agent === null || sessionId === null || !/^\w[\w.-]*$/.test(sessionId)) return null;
  const known = Object.values<KnownAgent>(knownAgents).find(({ name }) => name === agent);
  return known?.opensConversation ? `${known.opensConversation} ${sessionId}` : null;
}

async function openShell(taken: Taken, { journal }: Hand): Promise<void> {
  let isClosed = false;
  const shell = spawn(process.env.SHELL || "/bin/sh", {
    cwd: taken.worktree.folder,
    stdio: "inherit",
    env: {
      ...personsEnvironment(),
      // Ended with the other programs of the job, should another attempt begin on this machine.
      BACKLOOM_JOB_ID: taken.job.id,
    },
  });
  const closed = once(shell, "exit").then(() => {
    isClosed = true;
  });
  await Promise.all([closed, keepLease(taken, () => isClosed)]);
  journal.say("The terminal is closed. In five minutes, work you did not give becomes a kept branch");
}

async function leaveLease(taken: Taken): Promise<void> {
  const args = ["take", "--keep-lease", taken.worktree.folder, await markOf(process.ppid)];
  const child = spawn(process.execPath, [...process.execArgv, process.argv[1] ?? "", ...args], {
    detached: true,
    stdio: "ignore",
    cwd: "/",
    env: personsEnvironment(),
  });
  child.unref();
  if (child.pid !== undefined) await writeTaken({ ...taken, keeper: await markOf(child.pid) });
}
