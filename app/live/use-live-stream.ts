import { useEffect, useRef, useState } from "react";
import { useLive } from "./live-provider";
import { sharedStream } from "./shared-stream";
import type { LiveStatus, Signal } from "./signal";

interface LiveStreamOptions {
  /** Address of the stream, or null for none. */
  url: string | null;
  onSignal: (signal: Signal) => void;
  /** Called when the tab is visible again. Its data may be old although the stream stayed open. */
  onVisible?: () => void;
}

/**
 * Subscribes to a stream over a connection that all tabs of this browser share. The stream stays open while the tab
 * is hidden (specification: Events rule 3).
 */
export function useLiveStream({ url, onSignal, onVisible }: LiveStreamOptions): LiveStatus {
  const { userId } = useLive();
  const [status, setStatus] = useState<LiveStatus>("connecting");
  const callbacks = useRef({ onSignal, onVisible });

  useEffect(() => {
    callbacks.current = { onSignal, onVisible };
  });

  useEffect(() => {
    if (url === null || userId === undefined) return;
    return sharedStream(userId, url).listen((signal) => {
      if (signal.type === "status") setStatus(signal.status);
      callbacks.current.onSignal(signal);
    });
  }, [url, userId]);

  useEffect(() => {
    if (url === null) return;
    const onChange = () => {
      if (document.visibilityState === "visible") callbacks.current.onVisible?.();
    };
    document.addEventListener("visibilitychange", onChange);
    return () => document.removeEventListener("visibilitychange", onChange);
  }, [url]);

  return status;
}

/** Address of the stream of everything in a product, including what its agents are doing. */
export const backlogStream = (productId: string) =>
  `/api/realtime/backlog?product_id=${productId}&live=1`;
