import { setTimeout as wait } from "node:timers/promises";
import { landingSchema, type NextLanding, nextLandingSchema } from "~/wire/landings/contract";
import { interruptible, uninterrupted } from "../base/interruption";
import { messageOf, Refusal } from "../base/problems";
import { sendable, sendableEnd } from "../base/sendable";
import type { ServedProduct } from "../service/served-product";
import { landOne } from "./land-one";
import type { LandingTools } from "./run-tests";

/** The service gives a landing to another worker after five minutes of silence. */
const renewMilliseconds = 60_000;

/** In parallel to the worker's jobs, until it stops. `--pr` merges pull requests; `--land` pushes to main. */
export async function landBranches(
  tools: LandingTools,
  product: ServedProduct | null,
  stop: AbortSignal,
): Promise<void> {
  const { options, journal } = tools;
  if (product === null || !(options.opensPulls || options.lands)) return;
  while (!stop.aborted) {
    try {
      if (await landNext(tools, product, stop)) continue;
    } catch (error) {
      if (stop.aborted) return;
      journal.sayOnce(`Branches cannot be landed: ${messageOf(error)}`);
    }
    await wait(options.forgePollSeconds * 1_000, undefined, { signal: stop }).catch(() => undefined);
  }
}

async function landNext(tools: LandingTools, product: ServedProduct, stop: AbortSignal): Promise<boolean> {
  const { service, folder, options, journal } = tools;
  const request = { worker: folder.workerName, pushes: options.lands };
  const { landing } = await service.post(`/api/products/${product.id}/landings`, request, nextLandingSchema);
  if (landing === null) return false;
  const lease = holdLease(tools, landing);
  const signal = AbortSignal.any([stop, lease.lost]);
  try {
    const report = await interruptible(signal, () => landOne(tools, product, landing, signal)).catch(
      (error: unknown) => ({ state: "put_off" as const, words: messageOf(error) }),
    );
    if (lease.lost.aborted) return true;
    const words = report.words === undefined ? undefined : sentenceOf(report.state, report.words);
    await uninterrupted(() => sendReport(tools, landing, { ...report, words })).catch((error: unknown) => {
      // Another worker saw the merged pull request first and reported it.
      if (!(error instanceof Refusal) || report.state !== "landed") throw error;
    });
    journal.say(`${landing.task_code} (${landing.branch}): ${sentences[report.state]}`);
    return !["put_off", "untested", "waiting_ci"].includes(report.state);
  } finally {
    lease.release();
  }
}

const sentences = {
  working: "landing",
  landed: "landed on the main branch",
  waiting_ci: "waiting for CI of the merged state",
  conflict: "does not merge with the main branch and returns to its agent",
  test_failed: "fails its tests on the main branch and returns to its agent",
  refused: "could not be landed; a person is asked",
  untested: "is waiting for a test or for CI",
  put_off: "could not be landed now and is tried again",
} as const;

/** For test output, the end is the most useful part. */
function sentenceOf(state: string, words: string): string {
  return state === "test_failed" ? sendableEnd(words, 9_000) : sendable(words, 9_000);
}

function sendReport({ service }: LandingTools, { id, lease }: NextLanding, report: object) {
  return service.put(`/api/landings/${id}`, { lease, ...report }, landingSchema);
}

/** Renews the lease until it is released. `lost` is aborted when another worker takes it. */
function holdLease(tools: LandingTools, landing: NextLanding) {
  const lost = new AbortController();
  const renew = () =>
    sendReport(tools, landing, { state: "working" }).catch((error: unknown) => {
      if (error instanceof Refusal) lost.abort(error);
    });
  const timer = setInterval(() => void renew(), renewMilliseconds);
  return { lost: lost.signal, release: () => clearInterval(timer) };
}
