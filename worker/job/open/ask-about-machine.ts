import { stat } from "node:fs/promises";
import { messageOf, Refusal } from "../../base/problems";
import type { Rules } from "../../git/rules";
import {
  forgetQuestion,
  keepIn,
  keptIn,
  mountsFile,
  noteQuestion,
  openQuestionsFor,
} from "../../sandbox/kept-permissions";
import { type NeededMount, neededMount } from "../../sandbox/mounts";
import type { RefusedHost } from "../../sandbox/network/job-network";
import type { Attempt } from "../attempt";
import { assignedAgent } from "../turn/assignment";
import { awaitPermission, readPermission } from "./permission";

interface MachineQuestion {
  question: string;
  options: string[];
  /** The host it is for. */
  reach?: string;
  /** What is kept if the answer is `always`: a host, or a path. */
  what: string;
  always: string;
  /** File of permanent permissions, and the product or repository they are for. */
  file: string;
  scope: string;
}

/** Does not end the job's work; a late answer counts for the next (`takeLateAnswers`). Null if no one can be asked. */
export async function askAboutMachine(
  attempt: Attempt,
  { what, always, file, scope, ...request }: MachineQuestion,
  signal: AbortSignal,
): Promise<string | null> {
  try {
    const answer = await awaitPermission(attempt, request, signal, (question) =>
      noteQuestion(file, scope, { what, question }),
    );
    if (answer === always) await keepIn(file, scope, what);
    await forgetQuestion(file, scope, what);
    return answer;
  } catch (error) {
    if (!signal.aborted) attempt.journal.say(`Could not ask about ${what}: ${messageOf(error)}`);
    return null;
  }
}

/** Takes the answers that came since earlier jobs ended, and returns what is allowed for this job only. */
export async function takeLateAnswers(
  attempt: Attempt,
  file: string,
  scope: string,
  { once, always }: { once?: string; always: string },
): Promise<string[]> {
  const allowed: string[] = [];
  for (const { what, question } of await openQuestionsFor(file, scope)) {
    const answer = await readPermission(attempt, question.id).catch((error: unknown) => {
      if (error instanceof Refusal) return null;
      throw error;
    });
    if (answer === undefined) {
      // Still open: this job waits for it too, instead of asking again.
      attempt.job.questions.push(question);
      continue;
    }
    if (answer === always) await keepIn(file, scope, what);
    if (answer !== null && answer === once) allowed.push(what);
    await forgetQuestion(file, scope, what);
  }
  return allowed;
}

export const hostAnswers = { once: "Allow once", always: "Allow for this product" };

interface HostRequest extends RefusedHost {
  file: string;
  signal: AbortSignal;
}

/** The job continues; the answer applies from then on, to this job or all later ones of the product here. */
export async function askForHost(attempt: Attempt, { host, isNear, file, allow, signal }: HostRequest): Promise<void> {
  const { job, options, journal } = attempt;
  const { once, always } = hostAnswers;
  const who = "agents" in options.work ? assignedAgent(job, options.work) : "The command";
  const where = isNear ? " It is on this machine or its network, and a lockfile names it." : "";
  const question = `${who} wants to reach ${host}.${where}`;
  const request = { question, options: [once, always, "Deny"], reach: host, what: host, always };
  const answer = await askAboutMachine(attempt, { ...request, file, scope: job.product.id }, signal);
  if (signal.aborted) return;
  if (answer !== once && answer !== always) return journal.say(`Denied: ${host}`);
  allow();
  journal.say(`Allowed: ${host}`);
}

const always = "Allow for this repository";
/** Keeps a repository from flooding the inbox. */
const mostAsked = 10;

/** `needs:` of `.backloom.yml` that the user allowed, kept per repository. Grows, for programs started afterwards. */
export async function neededMounts(
  attempt: Attempt,
  rules: Pick<Rules, "needs">,
  repository: string,
  signal: AbortSignal,
): Promise<readonly NeededMount[]> {
  const { options } = attempt;
  const missing = rules.needs.filter((mount) => !options.mounts.includes(mount)).map(neededMount);
  if (missing.length === 0) return [];
  const file = mountsFile(options.workDir);
  await takeLateAnswers(attempt, file, repository, { always });
  const kept = await keptIn(file, repository);
  const allowed = missing.filter(({ name }) => kept.includes(name));
  const open = missing.filter(({ name }) => !kept.includes(name));
  reportMissing(attempt, open);
  for (const mount of open.slice(0, mostAsked)) {
    void ask(attempt, mount, { file, scope: repository }, signal).then((isAllowed) => {
      if (!isAllowed) return;
      allowed.push(mount);
      attempt.journal.say(`Allowed: ${mount.name}`);
    });
  }
  return allowed;
}

function reportMissing({ journal, output }: Attempt, open: readonly NeededMount[]): void {
  if (open.length === 0) return;
  const title = ".backloom.yml needs more of this machine";
  const mountOptions = open.map(({ name }) => `--mount ${name}`).join(" ");
  const text = `Its person is asked. To have it from the start, start the worker with ${mountOptions}`;
  journal.sayOnce(`${title}. ${text}`);
  output.add({ kind: "note", title, text: text.slice(0, 2_000) });
}

async function ask(
  attempt: Attempt,
  { name, real, isWritable }: NeededMount,
  kept: { file: string; scope: string },
  signal: AbortSignal,
): Promise<boolean> {
  const what = (await stat(real).catch(() => null)) === null ? " It is not there now." : "";
  const how = isWritable ? "read and write" : "read";
  const question = `May jobs of this repository ${how} ${real} of your machine? Its .backloom.yml needs it.${what}`;
  const request = { question, options: [always, "Deny"], what: name, always, ...kept };
  return (await askAboutMachine(attempt, request, signal)) === always;
}
