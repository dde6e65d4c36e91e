import { hostname } from "node:os";
import { setTimeout as wait } from "node:timers/promises";
import { z } from "zod";
import type { AwaitedHead } from "~/wire/agent-jobs/contract";
import manifest from "../package.json";
import { isOtherAcp } from "./agents/catalog";
import { interruptible } from "./base/interruption";
import { isDemo } from "./base/options";
import { messageOf } from "./base/problems";
import { followedAddresses } from "./git/repository";
import type { WorkerTools } from "./job/attempt";
import { type Offers, openOffers } from "./job/open/offers";
import { openMergeChecks, reportMerged } from "./job/report/report-merged";
import { runJob } from "./job/run-job";
import type { Sandbox } from "./sandbox/sandbox";
import { receivedClaimSchema } from "./service/received-claim";
import type { ServedProduct } from "./service/served-product";

interface Loop extends WorkerTools {
  product: ServedProduct | null;
  sandboxes: Sandbox;
  /** Aborted when the worker is asked to end. */
  stopSignal: AbortSignal;
}

const quotaPause = 60_000;
/** Longest wait for a job, and with `--until-idle`, where the worker checks after it whether it may end. */
const longestSeconds = { waiting: 50, untilIdle: 5 };

/** Waits for jobs and works on them, one at a time, until asked to end. */
export async function runLoop(loop: Loop): Promise<void> {
  const { options, journal, stopSignal, sandboxes } = loop;
  const name = loop.folder.workerName;
  journal.say(`Worker ${name} waits for jobs of ${options.url}; ${sandboxes.description}`);
  // The built-in demo needs none of them.
  if (sandboxes.leftOut.length > 0 && !isDemo(options)) {
    journal.say(`Variables that jobs do not get: ${sandboxes.leftOut.join(", ")} (--env NAME adds one)`);
  }
  const others = "agents" in options.work ? options.work.agents.filter(isOtherAcp) : [];
  if (others.length > 0) {
    journal.say(`--allow cannot be passed on to ${others.join(", ")}: the worker only answers what such an agent asks`);
  }
  const offers = await openOffers(options);
  const checks = openMergeChecks();
  const checkMerged = (heads: readonly AwaitedHead[]) =>
    interruptible(stopSignal, () => reportMerged(heads, { ...loop, checks }));
  // The first question waits for nothing, so that people hear at once why none came.
  let waitSeconds = 0;
  while (!stopSignal.aborted) {
    const { job, reason } = await nextJob(loop, offers, waitSeconds);
    if (job !== null) {
      waitSeconds = 0;
      await runJob({ ...loop, job, readQuota: offers.quota });
      await checkMerged(job.awaited_heads ?? []);
      if (options.once) return;
      continue;
    }
    if (reason !== null) journal.sayOnce(`No job: ${reason.message}`);
    await checkMerged(reason?.awaited_heads ?? []);
    if (options.untilIdle && (reason?.code === "empty" || reason?.waits_for_person)) return;
    if (reason?.code === "quota") await wait(quotaPause, undefined, { signal: stopSignal });
    // With `--until-idle`, the wait doubles while jobs are blocked; the service answers at once when there is one.
    waitSeconds = options.untilIdle ? Math.min(longestSeconds.untilIdle, waitSeconds * 2 || 1) : longestSeconds.waiting;
  }
}

/** Says that no job is held: those of an earlier process of this name, or of a lost answer, are requeued at once. */
async function nextJob(
  { options, service, folder, stopSignal, product, sandboxes }: Loop,
  offers: Offers,
  waitSeconds: number,
) {
  const request = {
    worker: folder.workerName,
    hostname: hostname(),
    version: manifest.version,
    confinement: sandboxes.confinement,
    product_id: product?.id,
    kinds: options.kinds,
    also_repos: followedAddresses(options),
    ...(await offers.claim()),
    wait_seconds: waitSeconds,
    restarted: true,
  };
  return service.call("wait_for_job", request, receivedClaimSchema, { signal: stopSignal });
}

/** Signs off: a held job is given back, and the worker is shown as stopped. */
export async function leave({ service, folder, journal }: Pick<Loop, "service" | "folder" | "journal">): Promise<void> {
  const farewell = { worker: folder.workerName, stopped: true };
  try {
    const signal = AbortSignal.timeout(5_000);
    await service.call("worker_heartbeat", farewell, z.unknown(), { retry: false, signal });
  } catch (error) {
    journal.say(`Could not tell the service that this worker stops: ${messageOf(error)}`);
  }
}
