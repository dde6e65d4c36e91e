import { useCallback, useRef } from "react";
import { useLive } from "./live-provider";
import { useJobStream } from "./use-job-stream";

/** Reads a page of a job again whenever the job changes. What it says while it works has its own tab. */
export function useLiveJob(jobId: string): void {
  const { revalidate } = useLive();
  const isFirst = useRef(true);
  const resync = useCallback(() => {
    // The page has just been read when its stream begins.
    if (!isFirst.current) revalidate();
    isFirst.current = false;
  }, [revalidate]);
  useJobStream(jobId, { onResync: resync, onJob: revalidate, onOutput: () => undefined });
}
