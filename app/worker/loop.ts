import { hostname } from "node:os";
import { setTimeout as wait } from "node:timers/promises";
import { z } from "zod";
import type { AwaitedHead } from "~/contract/agent-job";
import { claimSchema } from "~/contract/worker";
import manifest from "../../package.json";
import { interruptible } from "./interruption";
import type { Journal } from "./journal";
import { openMergeLooks } from "./merge-looks";
import type { WorkerOptions } from "./options";
import { messageOf } from "./problems";
import { readQuota } from "./quota";
import { runJob } from "./run-job";
import type { ServedProduct } from "./served-product";
import type { Service } from "./service";
import { tellMerged } from "./tell-merged";
import type { WorkFolder } from "./work-folder";

interface Loop {
  options: WorkerOptions;
  service: Service;
  journal: Journal;
  folder: WorkFolder;
  /** The only product that is served, if there is one. */
  product: ServedProduct | null;
  demoCommand: string;
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
  const { options, journal, stopSignal } = loop;
  journal.say(`Worker ${loop.folder.workerName} waits for jobs of ${options.url}`);
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
  { options, service, folder, stopSignal, product }: Loop,
  waitSeconds: number,
) {
  const wish = {
    worker: folder.workerName,
    hostname: hostname(),
    version: manifest.version,
    product_id: product?.id,
    kinds: options.kinds,
    quota_pct: await readQuota(options.quotaCommand),
    wait_seconds: waitSeconds,
    restarted: true,
  };
  return service.call("wait_for_job", wish, claimSchema, { signal: stopSignal });
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
    journal.say(`The service did not hear the good-bye: ${messageOf(error)}`);
  }
}
