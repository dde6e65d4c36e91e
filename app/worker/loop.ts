import { exec } from "node:child_process";
import { hostname } from "node:os";
import { setTimeout as wait } from "node:timers/promises";
import { promisify } from "node:util";
import { z } from "zod";
import type { AwaitedHead } from "~/contract/agent-job";
import manifest from "../../package.json";
import { openMergeLooks } from "./git/merge-looks";
import { followedAddresses } from "./git/repository";
import { tellMerged } from "./git/tell-merged";
import type { WorkFolder } from "./git/work-folder";
import { personsEnvironment } from "./job/environment";
import { heardClaimSchema } from "./job/heard-claim";
import { interruptible } from "./job/interruption";
import { runJob } from "./job/run-job";
import type { WorkerOptions } from "./options";
import type { Sandbox } from "./sandbox/sandbox";
import type { Journal } from "./service/journal";
import { messageOf } from "./service/problems";
import type { ServedProduct } from "./service/served-product";
import type { Service } from "./service/service";

interface Loop {
  options: WorkerOptions;
  service: Service;
  journal: Journal;
  folder: WorkFolder;
  /** The only product that is served, if there is one. */
  product: ServedProduct | null;
  demoCommand: string;
  sandboxes: Sandbox;
  /** Takes secrets out of a text. */
  clean: (text: string) => string;
  /** Aborted when the worker is asked to end. */
  stopSignal: AbortSignal;
}

/** A worker without quota asks again after this time. */
const quotaPause = 60_000;
/** The longest that a worker which ends with the queue stays at one question before it looks again whether it may end. */
const longestIdleSeconds = 5;

/** Waits for jobs and works on them, one at a time, until it is asked to end. */
export async function runLoop(loop: Loop): Promise<void> {
  const { options, journal, stopSignal, sandboxes } = loop;
  const name = loop.folder.workerName;
  journal.say(`Worker ${name} waits for jobs of ${options.url}; ${sandboxes.description}`);
  const looks = openMergeLooks();
  const lookForMerged = (heads: readonly AwaitedHead[]) =>
    interruptible(stopSignal, () => tellMerged(heads, { ...loop, looks }));
  let idleSeconds = 0;
  while (!stopSignal.aborted) {
    const { job, reason } = await nextJob(loop, options.untilIdle ? idleSeconds : 50);
    if (job !== null) {
      idleSeconds = 0;
      await runJob({ ...loop, job, readQuota: () => readQuota(options.quotaCommand) });
      await lookForMerged(job.awaited_heads ?? []);
      if (options.once) return;
      continue;
    }
    if (reason !== null) journal.sayOnce(`No job: ${reason.message}`);
    await lookForMerged(reason?.awaited_heads ?? []);
    if (options.untilIdle && reason?.code === "empty") return;
    if (reason?.code === "quota") await wait(quotaPause, undefined, { signal: stopSignal });
    // What waits for something else waits longer each time; the service answers at once when there is a job.
    idleSeconds = Math.min(longestIdleSeconds, idleSeconds * 2 || 1);
  }
}

/**
 * Asks for a job and says each time that none is held: what an earlier process of this name, or an answer that never
 * arrived, still holds goes back to the queue at once.
 */
async function nextJob(
  { options, service, folder, stopSignal, product, sandboxes }: Loop,
  waitSeconds: number,
) {
  const wish = {
    worker: folder.workerName,
    hostname: hostname(),
    version: manifest.version,
    confinement: sandboxes.confinement,
    product_id: product?.id,
    kinds: options.kinds,
    also_repos: followedAddresses(options),
    quota_pct: await readQuota(options.quotaCommand),
    wait_seconds: waitSeconds,
    restarted: true,
  };
  return service.call("wait_for_job", wish, heardClaimSchema, { signal: stopSignal });
}

/** Says good-bye: a job that is still held goes back, and the worker is shown as stopped. */
export async function leave({
  service,
  folder,
  journal,
}: Pick<Loop, "service" | "folder" | "journal">): Promise<void> {
  const farewell = { worker: folder.workerName, stopped: true };
  try {
    const signal = AbortSignal.timeout(5_000);
    await service.call("worker_heartbeat", farewell, z.unknown(), { retry: false, signal });
  } catch (error) {
    journal.say(`The service could not be told that this worker stops: ${messageOf(error)}`);
  }
}

const run = promisify(exec);

/** What is left of the quota in percent, as the configured command prints it; unknown without one. */
async function readQuota(command: string | undefined): Promise<number | undefined> {
  if (command === undefined) return undefined;
  try {
    const { stdout } = await run(command, { timeout: 20_000, env: personsEnvironment() });
    const percent = Math.round(Number.parseFloat(stdout));
    return percent >= 0 && percent <= 100 ? percent : undefined;
  } catch {
    return undefined;
  }
}
