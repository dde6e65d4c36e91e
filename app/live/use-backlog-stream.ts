import type { BacklogChange } from "~/contract/events";
import { needsFullResync } from "./known-entities";
import type { LiveStatus } from "./live-status";
import { isBacklogChange, isResumed } from "./read-message";
import { useLiveStream } from "./use-live-stream";

interface BacklogStreamOptions {
  onChange?: (change: BacklogChange) => void;
  /** Read the data again: first `ready`, reconnect, tab visible, network back, or an entity this page does not know. */
  onResync: () => void;
  enabled?: boolean;
}

/** The backlog stream of one product (specification: Backlog stream). */
export function useBacklogStream(
  productId: string,
  { onChange, onResync, enabled = true }: BacklogStreamOptions,
): LiveStatus {
  return useLiveStream({
    url: enabled ? `/api/realtime/backlog?product_id=${productId}&live=1` : null,
    onVisible: onResync,
    onSignal(signal) {
      if (signal.type === "named" && signal.name === "ready") {
        if (!isResumed(signal.data)) onResync();
      } else if (signal.type === "change") {
        const change = signal.data;
        if (!isBacklogChange(change) || change.product_id !== productId) return;
        if (needsFullResync(change.entity)) onResync();
        else onChange?.(change);
      }
    },
  });
}
