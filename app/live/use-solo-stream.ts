import type { z } from "zod";
import {
  type SoloChange,
  soloChangeSchema,
  soloJobsSchema,
  soloReadySchema,
  soloWorkersSchema,
} from "~/contract/events";
import type { LiveStatus } from "./live-status";
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
    const change = soloChangeSchema.safeParse(signal.data).data;
    if (change) options.onChange?.(change);
  } else if (signal.type === "named") {
    handleNamed(signal.name, signal.data, options);
  }
}

function handleNamed(name: string, data: unknown, options: SoloStreamOptions): void {
  if (name === "ready") {
    const ready = soloReadySchema.safeParse(data).data;
    if (ready) options.onReady?.(ready);
    if (!ready?.resumed) options.onResync();
  } else if (name === "jobs") {
    const jobs = soloJobsSchema.safeParse(data).data?.jobs;
    if (jobs) options.onJobs?.(jobs);
  } else if (name === "workers") {
    const count = soloWorkersSchema.safeParse(data).data?.count;
    if (count !== undefined) options.onWorkers?.(count);
  }
}
