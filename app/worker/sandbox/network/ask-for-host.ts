import { setTimeout as pause } from "node:timers/promises";
import type { Attempt } from "../../job/attempt";
import { askPermission, readPermission } from "../../job/permission";
import { messageOf } from "../../service/problems";
import { keepHost } from "./kept-hosts";

const once = "Allow once";
const forProduct = "Allow for this product";
const pollMilliseconds = 3_000;

interface HostWish {
  host: string;
  /** Where what is allowed for good is kept. */
  file: string;
  allow: () => void;
  /** Aborted when the job is over. */
  signal: AbortSignal;
}

/**
 * Asks the person whose machine this is whether a host may be reached. The job goes on meanwhile; the answer counts from then on,
 * for this job or for every later one of the product on this machine.
 */
export async function askForHost(
  attempt: Attempt,
  { host, file, allow, signal }: HostWish,
): Promise<void> {
  const { job, options, journal } = attempt;
  const who = "agent" in options.work ? options.work.agent : "The command";
  const question = `${who} wants to reach ${host}.`;
  const wish = { question, options: [once, forProduct, "Deny"], reach: host };
  try {
    const asked = await askPermission(attempt, wish, { signal });
    for (;;) {
      await pause(pollMilliseconds, undefined, { signal, ref: false });
      const answer = await readPermission(attempt, asked.id, { signal });
      if (answer === undefined) continue;
      if (answer !== once && answer !== forProduct) return;
      allow();
      if (answer === forProduct) await keepHost(file, job.product.id, host);
      journal.say(`Allowed: ${host}`);
      return;
    }
  } catch (error) {
    if (!signal.aborted) journal.say(`Nobody could be asked for ${host}: ${messageOf(error)}`);
  }
}
