import { personsVariables } from "../../base/environment";
import { type Reach, readReach } from "../../base/reach";
import { learnLogin } from "../../forge/open-forge";
import { findKept, forgetKept } from "../../git/kept-branch";
import type { Repository } from "../../git/repository";
import { readRules } from "../../git/rules";
import type { Worktree } from "../../git/worktree";
import { loginSentence } from "../../sandbox/kept-logins";
import { hostsFile, keptIn } from "../../sandbox/kept-permissions";
import { isOwnLookup, modelHosts } from "../../sandbox/network/model-hosts";
import { registryHosts } from "../../sandbox/network/registries";
import { type JobSandbox, noSandbox, type Sandbox } from "../../sandbox/sandbox";
import type { Attempt } from "../attempt";
import { testCommandOf } from "../proof/inspect";
import type { JobContext } from "../turn/assignment";
import { askForHost, hearLateAnswers, hostAnswers, neededMounts } from "./ask-about-machine";
import { assignedCommand } from "./assigned-agent";

interface Place extends Pick<Worktree, "folder" | "main"> {
  /** Missing where its rules do not apply, as in a conversation. */
  repository?: Pick<Repository, "folder">;
}

/**
 * Reads the rules of the repository, opens the sandbox in which all that they name runs, and finds what earlier attempts
 * left. One way for a worker's attempt and a person's, so that proof of both means the same.
 */
export async function openJobContext(
  attempt: Attempt,
  sandboxes: Sandbox,
  worktree: Worktree,
): Promise<JobContext> {
  const { job, options } = attempt;
  attempt.rules = await readRules(worktree);
  await learnLogin(worktree.repository, attempt.rules, options);
  attempt.sandbox = await openForJob(attempt, sandboxes, worktree);
  const sameWork = [job.id, ...job.earlier_jobs];
  const here = { ...worktree.repository, folder: worktree.folder };
  await forgetKept(here, sameWork);
  const kept = await findKept(here, sameWork);
  return { checkout: worktree.checkout, testCommand: testCommandOf(attempt), kept };
}

/** Opens a job's sandbox with its allowed hosts. `main` is the commit whose files name the package registries. */
export async function openForJob(
  attempt: Attempt,
  sandboxes: Sandbox,
  { folder, main, repository }: Place,
): Promise<JobSandbox> {
  const { job, options } = attempt;
  if (sandboxes.confinement === "none") return noSandbox;
  const command = assignedCommand(job, options);
  const ended = new AbortController();
  const file = hostsFile(options.workDir);
  const once = await hearLateAnswers(attempt, file, job.product.id, hostAnswers);
  const reaches = [
    ...(await reachesOf({
      ...{ folder, main, net: options.net, product: job.may_reach ?? [] },
      person: [...once, ...(await keptIn(file, job.product.id))],
    })),
    ...(await modelHosts(command, personsVariables())),
  ];
  const mounts =
    repository === undefined ? [] : await neededMounts(attempt, repository.folder, ended.signal);
  const sandbox = await sandboxes.open({
    id: job.id,
    attempt: job.attempt,
    command,
    // The one that was opened: jobs of `--also-repo` share no package cache with those of `--repo`.
    repository: repository?.folder ?? options.repo ?? job.repo_url,
    reaches,
    wanted: attempt.rules.net.flatMap((host) => readReach(host, "person")?.[0] ?? []),
    mounts,
    loginPutBack: (name) => {
      const text = loginSentence(name);
      attempt.journal.say(text);
      const at = new Date().toISOString();
      attempt.output.add({ kind: "error", title: `Put back: ${name}`, text, at });
    },
    refused: (refused) => {
      const { host, sentence } = refused;
      attempt.journal.sayOnce(`Refused: ${host}`);
      const at = new Date().toISOString();
      const title = `Refused: ${host}`;
      if (isOwnLookup(command, host)) {
        const text = "The tool works without it. --net opens it.";
        return attempt.output.add({ kind: "note", title, text, at });
      }
      attempt.output.add({ kind: "error", title, text: sentence, at });
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
export async function reachesOf({ folder, main, product, person, net }: Allowed): Promise<Reach[]> {
  const listed = (hosts: readonly string[], source: Reach["source"]) =>
    hosts.flatMap((host) => readReach(host, source) ?? []);
  return [
    ...(await registryHosts(folder, main)),
    ...listed(product, "product"),
    ...listed([...person, ...net], "person"),
  ];
}
