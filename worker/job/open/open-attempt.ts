import type { JobPayload } from "~/wire/workers/contract";
import { personsVariables } from "../../base/environment";
import { type AllowedHost, readAllowedHosts } from "../../base/hosts";
import { endLeftRunning } from "../../base/orphans";
import { sendable } from "../../base/sendable";
import { learnLogin } from "../../forge/open-forge";
import { openChanges } from "../../git/changes";
import { listShared } from "../../git/included";
import { findKept, forgetKept } from "../../git/kept-branch";
import { isOwnBranch, mainNameOf, usualPrefix } from "../../git/remote";
import { openRepositoryOf, type Repository } from "../../git/repository";
import { meetingOf, type Rules } from "../../git/rules";
import { addWorktree, type Worktree } from "../../git/worktree";
import { loginSentence } from "../../sandbox/kept-logins";
import { hostsFile, keptIn } from "../../sandbox/kept-permissions";
import { isOwnLookup, modelHosts } from "../../sandbox/network/model-hosts";
import { registryHosts } from "../../sandbox/network/registries";
import { type JobSandbox, noSandbox, type Sandbox } from "../../sandbox/sandbox";
import { startHeartbeat } from "../../service/heartbeat";
import { openOutput } from "../../service/output-sender";
import { readAgreed } from "../../setup/agree";
import { firstLines } from "../../setup/read-setup";
import type { Attempt, WorkerTools, Workspace } from "../attempt";
import { openTally } from "../report/tally";
import { assignedCommand } from "../turn/assignment";
import { openMessages } from "../turn/messages";
import { knownConversations } from "../turn/sessions";
import { askForHost, hostAnswers, neededMounts, takeLateAnswers } from "./ask-about-machine";
import { openKeeper } from "./keeper";
import { freeName, keepOfTheDead } from "./leftovers";

export interface JobRun extends WorkerTools {
  job: JobPayload;
  sandboxes: Sandbox;
  readQuota: () => Promise<number | undefined>;
  stopSignal: AbortSignal;
}

/** An attempt with its heartbeats, before anything is prepared. */
export function openAttempt(run: Omit<JobRun, "sandboxes">): Attempt {
  const { job, options, journal, clean, stopSignal } = run;
  const seconds = options.heartbeatSeconds ?? job.heartbeat_seconds;
  const { url, token } = options;
  const tally = openTally(options.subscription);
  const messages = openMessages();
  const beats = { seconds, stopSignal, soFar: tally.soFar, messages };
  const heartbeat = startHeartbeat({ ...run, ...beats, url, token });
  messages.arrive(job.messages ?? []);
  const to = { url, token, jobId: job.id, attempt: job.attempt, journal, clean };
  const output = openOutput(to);
  return {
    ...run,
    heartbeat,
    tally,
    keeper: openKeeper(`${job.id}-${job.attempt}`, journal),
    output,
    changes: openChanges(to),
    messages,
  };
}

/** The worktree of the job's branch, in the folder in which its agent had its conversation. */
export async function prepare({ job, options, folder, journal }: Attempt, folderName?: string): Promise<Worktree> {
  const branch = job.branch ?? `${job.branch_prefix ?? usualPrefix}/${job.id}`;
  if (!isOwnBranch(branch, job.branch_prefix)) {
    throw new Error(`The branch ${branch} is none of Backloom's, so nothing may be pushed to it`);
  }
  const repository = await openRepositoryOf(job, options, folder);
  if (branch === (await mainNameOf(repository))) {
    throw new Error(`The branch ${branch} is the main branch: choose another branch prefix`);
  }
  // Ends what an earlier attempt left running on this machine: only one may write.
  await endLeftRunning(job.id);
  await keepOfTheDead(options.workDir, job.id, journal);
  // Agents find their conversations by folder, so the next attempt uses the same one.
  const known = await knownConversations(folder.sessions, job.id, assignedCommand(job, options));
  const wanted = folderName ?? known?.folder ?? `${job.id}-${job.attempt}`;
  const name = await freeName(folder.worktrees, wanted, journal);
  const { hooks } = options;
  return addWorktree({ repository, parent: folder.worktrees, name, branch, hooks });
}

interface SandboxOptions extends Pick<Worktree, "folder" | "main"> {
  rules: Rules;
  /** Missing where its rules do not apply, as in a conversation. */
  repository?: Pick<Repository, "folder">;
}

/** One way for a worker's attempt and a person's, so that proof of both means the same. */
export async function openWorkspace(attempt: Attempt, sandboxes: Sandbox, worktree: Worktree): Promise<Workspace> {
  const { job, options } = attempt;
  const rules = await rulesOf(attempt, sandboxes, worktree);
  await learnLogin(worktree.repository, rules, options);
  const sameWork = [job.id, ...job.earlier_jobs];
  const here = { ...worktree.repository, folder: worktree.folder };
  await forgetKept(here, sameWork);
  const kept = await findKept(here, sameWork);
  const sandbox = await openForJob(attempt, sandboxes, { ...worktree, rules });
  // The user's test command takes precedence over the repository's.
  return { ...worktree, rules, sandbox, testCommand: options.testCommand ?? rules.test, kept };
}

/** How long a question in the terminal may hold up a job. */
const askMilliseconds = 120_000;

/** The repository's rules with what other files of its main branch set up. The job's first lines say what and why. */
async function rulesOf(attempt: Attempt, sandboxes: Sandbox, worktree: Worktree): Promise<Rules> {
  const { options, heartbeat, journal, output } = attempt;
  const { folder, repository } = worktree;
  const unanswered = new AbortController();
  const timer = setTimeout(() => unanswered.abort(), askMilliseconds);
  const { found, isTaken, rules } = await readAgreed(folder, await meetingOf(worktree), {
    options,
    repository: repository.folder,
    isConfined: sandboxes.confinement !== "none",
    signal: AbortSignal.any([heartbeat.signal, unanswered.signal]),
  }).finally(() => clearTimeout(timer));
  heartbeat.signal.throwIfAborted();
  for (const { title, text } of firstLines(found, isTaken)) {
    journal.say(title);
    output.add({ kind: "note", title, text: sendable(text, 2_000) });
  }
  return rules;
}

/** Opens a job's sandbox with its allowed hosts. `main` is the commit whose files name the package registries. */
export async function openForJob(
  attempt: Attempt,
  sandboxes: Sandbox,
  { folder, main, repository, rules }: SandboxOptions,
): Promise<JobSandbox> {
  const { job, options } = attempt;
  if (sandboxes.confinement === "none") return noSandbox;
  const command = assignedCommand(job, options);
  const ended = new AbortController();
  const file = hostsFile(options.workDir);
  const once = await takeLateAnswers(attempt, file, job.product.id, hostAnswers);
  const allowedHosts = [
    ...(await allowedHostsOf({
      folder,
      main,
      net: options.net,
      product: job.may_reach ?? [],
      person: [...once, ...(await keptIn(file, job.product.id))],
    })),
    ...(await modelHosts(command, personsVariables())),
  ];
  const mounts = repository === undefined ? [] : await neededMounts(attempt, rules, repository.folder, ended.signal);
  const sandbox = await sandboxes.open({
    id: job.id,
    command,
    // The one that was opened: jobs of `--also-repo` share no package cache with those of `--repo`.
    repository: repository?.folder ?? options.repo ?? job.repo_url,
    allowedHosts,
    wanted: rules.net.flatMap((host) => readAllowedHosts(host, "person")?.[0] ?? []),
    mounts,
    shares: repository === undefined ? [] : (await listShared(repository.folder, rules.share)).shared,
    loginPutBack: (name) => {
      const text = loginSentence(name);
      attempt.journal.say(text);
      attempt.output.add({ kind: "error", title: `Put back: ${name}`, text });
    },
    refused: (refused) => {
      const { host, sentence } = refused;
      attempt.journal.sayOnce(`Refused: ${host}`);
      const title = `Refused: ${host}`;
      if (isOwnLookup(command, host)) {
        const text = "The tool works without this host. Start the worker with --net to allow it.";
        return attempt.output.add({ kind: "note", title, text });
      }
      attempt.output.add({ kind: "error", title, text: sentence });
      void askForHost(attempt, { ...refused, file, signal: ended.signal });
    },
  });
  return {
    ...sandbox,
    async close() {
      ended.abort();
      await sandbox.close();
    },
  };
}

interface Allowed {
  folder: string;
  /** The commit whose files name the package registries. */
  main: string;
  product: readonly string[];
  /** Hosts the user allowed when asked; `net` are those of `--net`. */
  person: readonly string[];
  net: readonly string[];
}

/** Hosts that commands of a repository may reach. */
export async function allowedHostsOf({ folder, main, product, person, net }: Allowed): Promise<AllowedHost[]> {
  const listed = (hosts: readonly string[], source: AllowedHost["source"]) =>
    hosts.flatMap((host) => readAllowedHosts(host, source) ?? []);
  return [
    ...(await registryHosts(folder, main)),
    ...listed(product, "product"),
    ...listed([...person, ...net], "person"),
  ];
}
