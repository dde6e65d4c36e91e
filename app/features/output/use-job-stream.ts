import { isFields, type LiveStatus } from "~/live/signal";
import { useLiveStream } from "~/live/use-live-stream";
import type { OutputEntry } from "~/nouns/agent-jobs/job-output";

interface OutputMessage {
  attempt: number;
  entries: readonly OutputEntry[];
}

interface JobStreamOptions {
  onOutput: (output: OutputMessage) => void;
  /** Called when the job changed. */
  onJob: () => void;
  /** Refetch: first `ready`, reconnect, tab visible again. */
  onResync: () => void;
}

/** Subscribes to one job: its changes and its agent's output. */
export function useJobStream(
  jobId: string,
  { onOutput, onJob, onResync }: JobStreamOptions,
): LiveStatus {
  return useLiveStream({
    url: `/api/realtime/job?job_id=${jobId}`,
    onVisible: onResync,
    onSignal(signal) {
      if (signal.type === "named" && signal.name === "ready") onResync();
      if (signal.type !== "change") return;
      if (isOutput(signal.data)) onOutput(signal.data);
      else onJob();
    },
  });
}

function isOutput(data: unknown): data is OutputMessage {
  return isFields(data) && typeof data.attempt === "number" && Array.isArray(data.entries);
}
