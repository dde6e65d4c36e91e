import { useLive } from "./live-provider";
import { isChange, isResumed } from "./read-message";
import type { LiveStatus, Signal } from "./signal";
import { backlogStream, useLiveStream } from "./use-live-stream";

type Stream = { stream: "backlog" | "solo"; productId: string } | { stream: "notifications" };

/**
 * Keeps a page's data current: its loaders run again on every change in the stream and after every gap. The server
 * filters the changes for this product and user.
 */
export function useLiveRevalidation(options: Stream): LiveStatus {
  const { revalidate } = useLive();
  return useLiveStream({
    url: addressOf(options),
    onVisible: revalidate,
    onSignal: (signal) => {
      if (makesOld(signal)) revalidate();
    },
  });
}

function addressOf(options: Stream): string {
  if (options.stream === "notifications") return "/api/realtime/notifications";
  if (options.stream === "backlog") return backlogStream(options.productId);
  return `/api/realtime/solo?product_id=${options.productId}`;
}

/** Whether the page's data may be outdated after this signal. Unknown entities of a newer server count too. */
export function makesOld(signal: Signal): boolean {
  if (signal.type === "named") {
    return signal.name === "state" || (signal.name === "ready" && !isResumed(signal.data));
  }
  // Agent output arrives every second and changes nothing that loaders read.
  return signal.type === "change" && isChange(signal.data) && signal.data.entity !== "job_output";
}
