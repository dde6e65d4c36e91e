import { useSyncExternalStore } from "react";
import type { Begin } from "./begin-waiting";

export interface Toast {
  id: number;
  tone: "done" | "failed";
  text: string;
  offer: Offer;
}

/** What can be pressed in a message. */
interface Offer {
  /** It tells of a change that can be taken back. */
  undo?: boolean | undefined;
  /** It tells of a task that waits for others, and can be begun all the same. */
  begin?: Begin | undefined;
}

// A list of our own: the usual toast package adds a style element that the Content-Security-Policy refuses.
let toasts: readonly Toast[] = [];
let lastId = 0;
const listeners = new Set<() => void>();

function publish(next: readonly Toast[]) {
  toasts = next;
  for (const listener of listeners) listener();
}

export function showToast(text: string, tone: Toast["tone"] = "done", offer: Offer = {}): void {
  lastId += 1;
  // Only the last change is the one that is taken back.
  const earlier = toasts.slice(-2).map((toast) => (offer.undo ? { ...toast, offer: {} } : toast));
  publish([...earlier, { id: lastId, tone, text, offer }]);
}

export function dismissToast(id: number) {
  publish(toasts.filter((toast) => toast.id !== id));
}

/** What they offer to take back is being taken back. */
export function dropUndo() {
  publish(toasts.filter((toast) => !toast.offer.undo));
}

const none: readonly Toast[] = [];

export function useToasts(): readonly Toast[] {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => toasts,
    () => none,
  );
}
