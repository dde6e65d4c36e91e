import { once } from "node:events";
import { setTimeout as wait } from "node:timers/promises";
import { heardPreviewsSchema, type SyncPreviews, type WantedPreview } from "~/wire/previews/contract";
import { interruptible, uninterrupted } from "../base/interruption";
import { messageOf } from "../base/problems";
import type { LandingTools } from "../landing/run-tests";
import type { ServedProduct } from "../service/served-product";
import { branchNow, type RunningPreview, runPreview } from "./run-preview";
import { openTunnel, type Tunnel } from "./tunnel";

type Report = SyncPreviews["previews"][number];

interface Held {
  wanted: WantedPreview;
  report: Report & { log: string[] };
  running: RunningPreview | undefined;
  lastRequest: number;
  /** Aborted with who ended it. */
  stop: AbortController;
  done: Promise<void>;
}

const waitSeconds = { idle: 50, alive: 20 };
const lookMilliseconds = 60_000;
/** Output comes in bursts, and a page needs no more. */
const reportMilliseconds = 2_000;
const pauseAfterFailure = 5_000;

/** In parallel to the worker's jobs; also carries requests. Ends with the worker, and with it all that it runs. */
export async function servePreviews(
  tools: LandingTools,
  product: ServedProduct | null,
  stop: AbortSignal,
): Promise<void> {
  const { options, service, folder, journal } = tools;
  if (options.previews === 0) return;
  const held = new Map<string, Held>();
  let reporting = new AbortController();
  const notify = (): void => reporting.abort();
  const reportsOf = () => [...held.values()].map(({ report }) => ({ ...report, log: report.log.slice(-20) }));
  let restarted = true;
  while (!stop.aborted) {
    reporting = new AbortController();
    const reports = reportsOf();
    const given = {
      worker: folder.workerName,
      product_id: product?.id,
      room: options.previews,
      restarted,
      previews: reports,
      wait_seconds: held.size > 0 ? waitSeconds.alive : waitSeconds.idle,
    };
    try {
      const signal = AbortSignal.any([stop, reporting.signal]);
      const { previews } = await service.put("/api/workers/previews", given, heardPreviewsSchema, { signal });
      restarted = false;
      for (const { id, state } of reports) if (state === "failed" || state === "stopped") held.delete(id);
      for (const wanted of previews) if (!held.has(wanted.id)) held.set(wanted.id, hold(tools, wanted, notify));
      for (const [id, one] of held) if (!previews.some((wanted) => wanted.id === id)) one.stop.abort("person");
    } catch (error) {
      if (reporting.signal.aborted || stop.aborted) continue;
      journal.sayOnce(`Previews cannot be looked for: ${messageOf(error)}`);
      await wait(pauseAfterFailure, undefined, { signal: stop }).catch(() => undefined);
    }
  }
  const last = [...held.values()];
  for (const { stop: end } of last) end.abort("worker");
  await Promise.all(last.map(({ done }) => done));
  if (last.length === 0) return;
  const given = { worker: folder.workerName, room: 0, previews: reportsOf() };
  await service.put("/api/workers/previews", given, heardPreviewsSchema).catch(() => undefined);
}

/** Runs one preview to its end. `notify` is called when there is something to report. */
function hold(tools: LandingTools, wanted: WantedPreview, notify: () => void): Held {
  const { journal } = tools;
  const held: Held = {
    wanted,
    report: { id: wanted.id, state: "starting", log: [] },
    running: undefined,
    lastRequest: performance.now(),
    stop: new AbortController(),
    done: Promise.resolve(),
  };
  const { report, stop } = held;
  const note = (state: string) => journal.say(`Preview of ${wanted.branch ?? wanted.head_sha.slice(0, 8)}: ${state}`);
  let timer: NodeJS.Timeout | undefined;
  const say = (line: string): void => {
    report.log = [...report.log, line.slice(0, 500)].slice(-20);
    timer ??= setTimeout(() => {
      timer = undefined;
      if (report.state === "starting") notify();
    }, reportMilliseconds);
  };
  const work = async (): Promise<void> => {
    note("starting");
    const running = await interruptible(stop.signal, () => runPreview({ ...tools, wanted, signal: stop.signal, say }));
    held.running = running;
    const tunnel = openTunnelTo(tools, held);
    try {
      await Promise.race([tunnel.opened, once(stop.signal, "abort"), running.over]);
      if (!stop.signal.aborted) report.state = "ready";
      note("ready");
      notify();
      await untilOver(held, running, notify);
    } finally {
      held.running = undefined;
      await tunnel.close();
      await uninterrupted(running.end);
    }
  };
  held.done = work()
    .catch((error: unknown) => {
      if (stop.signal.aborted) return;
      say(messageOf(error));
      report.state = "failed";
    })
    .finally(() => {
      clearTimeout(timer);
      if (report.state !== "failed") {
        const { reason } = stop.signal;
        report.state = "stopped";
        report.stopped_by = reason === "idle" || reason === "person" ? reason : "worker";
      }
      note(report.state);
      notify();
    });
  return held;
}

function openTunnelTo({ options }: LandingTools, held: Held): Tunnel {
  const reach = () => {
    const { running } = held;
    if (running === undefined) return undefined;
    const connect = () => {
      held.lastRequest = performance.now();
      return running.connect();
    };
    return { connect, port: running.port, host: running.settings.host };
  };
  return openTunnel({ service: options.url, token: options.token, previewId: held.wanted.id, reach });
}

/** Looks at the branch each minute, until the program ends or no one has asked for long enough. */
async function untilOver(held: Held, running: RunningPreview, notify: () => void): Promise<void> {
  const { wanted, report, stop } = held;
  const idle = running.settings.stopSeconds * 1_000;
  let ended: string | undefined;
  const over = running.over.then((why) => {
    ended = why;
  });
  for (;;) {
    const tip = await branchNow(running.repository, wanted.branch).catch(() => undefined);
    if (tip !== undefined && tip !== report.branch_sha) {
      report.branch_sha = tip;
      notify();
    }
    await Promise.race([
      wait(Math.min(lookMilliseconds, idle), undefined, { signal: stop.signal }).catch(() => undefined),
      over,
    ]);
    if (ended !== undefined && !stop.signal.aborted) throw new Error(ended);
    if (performance.now() - held.lastRequest >= idle) stop.abort("idle");
    if (stop.signal.aborted) return;
  }
}
