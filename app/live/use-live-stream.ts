import { useEffect, useRef, useState } from "react";
import type { Doing } from "~/wire/events";
import { useLive } from "./live-provider";
import { sharedStream } from "./shared-stream";
import { isBacklogChange, isChange, isResumed, type LiveStatus, type Signal } from "./signal";

interface LiveStreamOptions {
  /** Address of the stream, or null for none. */
  url: string | null;
  onSignal: (signal: Signal) => void;
  /** Called when the tab is visible again. Its data may be old although the stream stayed open. */
  onVisible?: () => void;
}

/** All tabs of this browser share it; it stays open while the tab is hidden (specification: Events rule 3). */
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
const backlogStream = (productId: string) => `/api/realtime/backlog?product_id=${productId}&live=1`;

type Stream = { stream: "backlog" | "solo"; productId: string } | { stream: "notifications" };

/** The page's loaders run again on every change in the stream, which the server filters, and after every gap. */
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
  if (signal.type === "named") return signal.name === "state" || (signal.name === "ready" && !isResumed(signal.data));
  // Agent output arrives every second and changes nothing that loaders read.
  return signal.type === "change" && isChange(signal.data) && signal.data.entity !== "job_output";
}

/** What a product's agents are doing now, by job id and task id. Knows only what was sent since the page opened. */
export function useDoing(productId: string, enabled: boolean): ReadonlyMap<string, Doing> {
  const [known, setKnown] = useState<ReadonlyMap<string, Doing>>(new Map());
  useLiveStream({
    url: enabled ? backlogStream(productId) : null,
    onSignal(signal) {
      if (signal.type !== "change" || !isBacklogChange(signal.data)) return;
      const { entity, id, task_id, doing } = signal.data;
      if (entity !== "job_output" || !doing) return;
      setKnown((before) => {
        const after = new Map(before).set(id, doing);
        return task_id ? after.set(task_id, doing) : after;
      });
    },
  });
  return known;
}
