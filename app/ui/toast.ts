import { useFetchers, useNavigation, useSubmit } from "@remix-run/react";
import { useCallback, useEffect } from "react";
import { router } from "~/live/router";
import { enhancedField } from "./form-fields";
import { storeOf } from "./store";

/** A blocked task, and the status that it should get anyway. */
export type Begin = { task_id: string; status: string };

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

export type Toast = { id: number; tone: "done" | "failed"; text: string; offer: Offer };

/** A form that takes back what another one did. */
export interface WayBack {
  action: string;
  fields: Readonly<Record<string, string>>;
  /** How long it can; 30 seconds without. */
  seconds?: number;
}

interface Offer {
  /** It is about a change that can be undone: by the service, or in this way. */
  undo?: boolean | WayBack | undefined;
  /** It is about a task that waits for others, and can be started all the same. */
  begin?: Begin | undefined;
}

// A list of our own: the usual toast package adds a style element that the Content-Security-Policy refuses.
const toasts = storeOf<readonly Toast[]>([]);
export const useToasts = toasts.use;
let lastId = 0;

export function showToast(text: string, tone: Toast["tone"] = "done", offer: Offer = {}): void {
  lastId += 1;
  if (offer.undo) {
    const way = offer.undo === true ? null : offer.undo;
    offerUndo(way, (way?.seconds ?? 30) * 1000);
  }
  // The button is that of the last change; earlier ones follow by the key.
  const earlier = toasts
    .get()
    .slice(-2)
    .map((toast) => (offer.undo ? { ...toast, offer: {} } : toast));
  toasts.set([...earlier, { id: lastId, tone, text, offer }]);
}

export function dismissToast(id: number) {
  toasts.set(toasts.get().filter((toast) => toast.id !== id));
}

/** What they offer to take back is being taken back. */
function dropUndo() {
  toasts.set(toasts.get().filter((toast) => !toast.offer.undo));
}

type OwnUndo = (() => void) | WayBack;

/** How the last changes are taken back, newest last, and until when; null where the service does it. */
let undos: readonly { way: OwnUndo | null; until: number }[] = [];

/** What the next undo does: this first, then what was changed before. */
export function offerUndo(way: OwnUndo | null, forMs: number) {
  undos = [...undos, { way, until: Date.now() + forMs }];
}

/** Takes the newest that is not over; without one the service is asked. */
function takeUndo(): OwnUndo | null {
  undos = undos.filter(({ until }) => until > Date.now());
  const last = undos.at(-1);
  undos = undos.slice(0, -1);
  return last?.way ?? null;
}

export const undoKey = "undo";

const wanted = storeOf(0);

/** Undoes the last change that was made here, then the one before. */
export const undo = () => wanted.set(wanted.get() + 1);

/** Does what `undo` asks for: by itself where it can, otherwise by the service. A change that is being sent comes first. */
export function useUndos(): void {
  const submit = useSubmit();
  const count = wanted.use();
  const { state } = useNavigation();
  const isSending = useFetchers().some((fetcher) => fetcher.state === "submitting") || state === "submitting";
  useEffect(() => {
    if (count === 0 || isSending) return;
    // An answer that just arrived offers its undo in this same round of effects.
    let timer = setTimeout(act);
    function act() {
      // What was pressed a moment ago may be on its way before React shows it.
      if ([...router().state.fetchers.values()].some((fetcher) => fetcher.state === "submitting")) {
        timer = setTimeout(act, 50);
        return;
      }
      wanted.set(count - 1);
      const own = takeUndo();
      dropUndo();
      if (typeof own === "function") return own();
      submit(
        { ...own?.fields, [enhancedField]: "1" },
        { method: "post", action: own?.action ?? "/undo", navigate: false, fetcherKey: undoKey },
      );
    }
    return () => clearTimeout(timer);
  }, [count, isSending, submit]);
}
