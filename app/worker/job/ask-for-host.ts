import type { RefusedHost } from "../sandbox/network/job-network";
import type { Attempt } from "./attempt";
import { askAboutMachine } from "./late-answers";

/** Answers that open a host. */
export const hostAnswers = { once: "Allow once", always: "Allow for this product" };

interface HostWish extends RefusedHost {
  /** File of permanent permissions. */
  file: string;
  /** Aborted when the job ends. */
  signal: AbortSignal;
}

/**
 * Asks the user whether a host may be reached. The job continues meanwhile. The answer applies from then on: for this
 * job, or for all later jobs of the product on this machine.
 */
export async function askForHost(
  attempt: Attempt,
  { host, isNear, file, allow, signal }: HostWish,
): Promise<void> {
  const { job, options, journal } = attempt;
  const { once, always } = hostAnswers;
  const who = "agent" in options.work ? options.work.agent : "The command";
  const where = isNear ? " It is on this machine or its network, and a lockfile names it." : "";
  const question = `${who} wants to reach ${host}.${where}`;
  const wish = { question, options: [once, always, "Deny"], reach: host, what: host, always };
  const answer = await askAboutMachine(attempt, { ...wish, file, place: job.product.id }, signal);
  if (signal.aborted) return;
  if (answer !== once && answer !== always) return journal.say(`Denied: ${host}`);
  allow();
  journal.say(`Allowed: ${host}`);
}
