import { useEffect, useSyncExternalStore } from "react";
import { type Begin, useBeginWaiting } from "./begin-waiting";
import { Button, IconButton } from "./button";
import { Icon } from "./icon";
import { StatusIcon } from "./status-icon";
import { useUndo } from "./use-undo";

interface Toast {
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

function dismiss(id: number) {
  publish(toasts.filter((toast) => toast.id !== id));
}

const none: readonly Toast[] = [];

/** Short messages about what just happened; one place on the page, read out politely. */
export function ToastRegion() {
  const current = useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => toasts,
    () => none,
  );
  return (
    <section
      aria-label="Notifications"
      aria-live="polite"
      className="pointer-events-none fixed inset-x-3 bottom-20 z-50 grid justify-items-center gap-2 sm:inset-x-auto sm:right-5 sm:bottom-5 sm:justify-items-end"
    >
      {current.map((toast) => (
        <ToastCard key={toast.id} toast={toast} />
      ))}
    </section>
  );
}

function ToastCard({ toast }: { toast: Toast }) {
  useEffect(() => {
    // A refusal stays longer: it has to be read, not only noticed.
    // So does what offers something to press.
    const long = toast.tone === "failed" || toast.offer.undo;
    const timer = setTimeout(() => dismiss(toast.id), long ? 9000 : 4000);
    return () => clearTimeout(timer);
  }, [toast]);
  const undo = useUndo();
  const begin = useBeginWaiting();
  const { offer } = toast;
  const waiting = offer.begin;
  const press = (act: () => void) => () => {
    dismiss(toast.id);
    act();
  };
  return (
    <div className="arrive pointer-events-auto flex max-w-md items-start gap-2.5 rounded-lg border border-line bg-raised py-2 pr-1.5 pl-3 text-sm shadow-pop">
      <StatusIcon tone={toast.tone} className="mt-1" />
      <p className="py-0.5">{toast.text}</p>
      {offer.undo ? (
        <Button size="sm" onClick={press(undo)}>
          Undo
        </Button>
      ) : null}
      {waiting ? (
        <Button size="sm" className="shrink-0" onClick={press(() => begin(waiting))}>
          Start anyway
        </Button>
      ) : null}
      <IconButton label="Dismiss" size="icon-sm" onClick={() => dismiss(toast.id)}>
        <Icon name="x" className="size-3.5" />
      </IconButton>
    </div>
  );
}
