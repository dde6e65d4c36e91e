import { useLive } from "./live-provider";
import { isChange, isResumed } from "./read-message";
import type { LiveStatus, Signal } from "./signal";
import { backlogStream, useLiveStream } from "./use-live-stream";

type Stream = { stream: "backlog" | "solo"; productId: string } | { stream: "notifications" };

/**
 * Keeps the loaders of a page true: they run again when something changes that the page's stream is about, and after every
 * gap. The server has chosen what that is, for this product and this user.
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

/** Whether what the page has read may be old after this. Entities that only a newer server knows count too. */
export function makesOld(signal: Signal): boolean {
  if (signal.type === "named") {
    return signal.name === "state" || (signal.name === "ready" && !isResumed(signal.data));
  }
  // What an agent says comes every second, and changes nothing that a loader reads.
  return signal.type === "change" && isChange(signal.data) && signal.data.entity !== "job_output";
}
