import { useSubmit } from "@remix-run/react";
import { useCallback, useSyncExternalStore } from "react";
import { undoPath } from "~/live/retrying-fetch";
import { enhancedField } from "./form-fields";

/** A blocked task, and the status that it should get anyway. */
export interface Begin {
  task_id: string;
  status: string;
}

/** Fetcher key of the answer. */
export const startBlockedKey = "start-blocked";

/** Starts a blocked task: sends the same change again, confirmed. */
export function useStartBlocked(): (begin: Begin) => void {
  const submit = useSubmit();
  return useCallback(
    ({ task_id, status }) =>
      submit(
        { thing: `task:${task_id}`, status, confirmed: "1", [enhancedField]: "1" },
        { method: "post", action: "/changes", navigate: false, fetcherKey: startBlockedKey },
      ),
    [submit],
  );
}

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
  /** How long it can; 30 seconds without. */
  seconds?: number;
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
  if (offer.undo === true) offerOwnUndo(null);
  else if (offer.undo) offerOwnUndo(offer.undo, (offer.undo.seconds ?? 30) * 1000);
  // Only the last change is the one that is taken back.
  const earlier = toasts.slice(-2).map((toast) => (offer.undo ? { ...toast, offer: {} } : toast));
  publish([...earlier, { id: lastId, tone, text, offer }]);
}

export function dismissToast(id: number) {
  publish(toasts.filter((toast) => toast.id !== id));
}

/** What they offer to take back is being taken back. */
function dropUndo() {
  ownUndo = null;
  publish(toasts.filter((toast) => !toast.offer.undo));
}

/** How the last change is taken back when the service does not remember it, and until when. */
let ownUndo: { way: OwnUndo; until: number } | null = null;

type OwnUndo = (() => void) | WayBack;

/** What the next undo does instead of asking the service; null when that is over. */
export function offerOwnUndo(way: OwnUndo | null, forMs = 0) {
  ownUndo = way && { way, until: Date.now() + forMs };
}

function takeOwnUndo(): OwnUndo | null {
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

/** Under this key the answer of an undo arrives. */
export const undoKey = "undo";

/** Undoes the last change that was made here: by itself where it can, otherwise the service undoes the session's last. */
export function useUndo(): () => void {
  const submit = useSubmit();
  return useCallback(() => {
    const own = takeOwnUndo();
    dropUndo();
    if (typeof own === "function") {
      own();
      return;
    }
    submit(
      { ...own?.fields, [enhancedField]: "1" },
      { method: "post", action: own?.action ?? undoPath, navigate: false, fetcherKey: undoKey },
    );
  }, [submit]);
}
