import type { Attempt } from "../../job/attempt";
import { awaitPermission } from "../../job/permission";
import { messageOf } from "../../service/problems";
import { keepIn } from "../kept-permissions";
import type { RefusedHost } from "./job-network";

const once = "Allow once";
const forProduct = "Allow for this product";

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
  const who = "agent" in options.work ? options.work.agent : "The command";
  const where = isNear ? " It is on this machine or its network, and a lockfile names it." : "";
  const question = `${who} wants to reach ${host}.${where}`;
  const wish = { question, options: [once, forProduct, "Deny"], reach: host };
  try {
    const answer = await awaitPermission(attempt, wish, signal);
    if (answer !== once && answer !== forProduct) return journal.say(`Denied: ${host}`);
    allow();
    if (answer === forProduct) await keepIn(file, job.product.id, host);
    journal.say(`Allowed: ${host}`);
  } catch (error) {
    if (!signal.aborted) journal.say(`Could not ask about ${host}: ${messageOf(error)}`);
  }
}
