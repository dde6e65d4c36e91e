import type { z } from "zod";
import type { SoloChange, soloJobsSchema, soloReadySchema } from "~/contract/events";
import type { LiveStatus } from "./live-status";
import { isFields, isResumed, isSoloChange, isSoloJobs, isSoloReady } from "./read-message";
import type { Signal } from "./signal";
import { useLiveStream } from "./use-live-stream";

interface SoloStreamOptions {
  onReady?: (ready: z.infer<typeof soloReadySchema>) => void;
  onJobs?: (jobs: z.infer<typeof soloJobsSchema>["jobs"]) => void;
  onWorkers?: (count: number) => void;
  onChange?: (change: SoloChange) => void;
  /** Read the data again: first `ready`, reconnect, another sprint or assignee, tab visible, network back. */
  onResync: () => void;
  enabled?: boolean;
}

/** The solo stream of one product (specification: Solo stream). */
export function useSoloStream(productId: string, options: SoloStreamOptions): LiveStatus {
  return useLiveStream({
    url: (options.enabled ?? true) ? `/api/realtime/solo?product_id=${productId}` : null,
    onVisible: options.onResync,
    onSignal: (signal) => handle(signal, options),
  });
}

function handle(signal: Signal, options: SoloStreamOptions): void {
  if (signal.type === "change") {
    if (isSoloChange(signal.data)) options.onChange?.(signal.data);
  } else if (signal.type === "named") {
    handleNamed(signal.name, signal.data, options);
  }
}

function handleNamed(name: string, data: unknown, options: SoloStreamOptions): void {
  if (name === "ready") {
    if (isSoloReady(data)) options.onReady?.(data);
    if (!isResumed(data)) options.onResync();
  } else if (name === "jobs") {
    if (isSoloJobs(data)) options.onJobs?.(data.jobs);
  } else if (name === "workers") {
    if (isFields(data) && typeof data.count === "number") options.onWorkers?.(data.count);
  }
}
