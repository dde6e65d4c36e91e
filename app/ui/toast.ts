import { useSyncExternalStore } from "react";
import type { Begin } from "./start-blocked";

export interface Toast {
  id: number;
  tone: "done" | "failed";
  text: string;
  offer: Offer;
}

/** A form that takes back what another one did. */
export interface WayBack {
  action: string;
  fields: Readonly<Record<string, string>>;
}

/** What can be pressed in a message. */
interface Offer {
  /** It is about a change that can be undone: by the service, or in this way. */
  undo?: boolean | WayBack | undefined;
  /** It is about a task that waits for others, and can be started all the same. */
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
  if (offer.undo) offerOwnUndo(offer.undo === true ? null : offer.undo);
  // Only the last change is the one that is taken back.
  const earlier = toasts.slice(-2).map((toast) => (offer.undo ? { ...toast, offer: {} } : toast));
  publish([...earlier, { id: lastId, tone, text, offer }]);
}

export function dismissToast(id: number) {
  publish(toasts.filter((toast) => toast.id !== id));
}

/** What they offer to take back is being taken back. */
export function dropUndo() {
  ownUndo = null;
  publish(toasts.filter((toast) => !toast.offer.undo));
}

/** How the last change is taken back when the service does not remember it, and until when. */
let ownUndo: { way: OwnUndo; until: number } | null = null;

type OwnUndo = (() => void) | WayBack;

/** What the next undo does instead of asking the service; null when that is over. */
export function offerOwnUndo(way: OwnUndo | null, forMs = 30_000) {
  ownUndo = way && { way, until: Date.now() + forMs };
}

export function takeOwnUndo(): OwnUndo | null {
  const way = ownUndo && ownUndo.until > Date.now() ? ownUndo.way : null;
  ownUndo = null;
  return way;
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
