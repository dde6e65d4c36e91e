import { X } from "lucide-react";
import { useEffect, useSyncExternalStore } from "react";
import { IconButton } from "./button";
import { StatusIcon } from "./status-icon";

interface Toast {
  id: number;
  tone: "done" | "failed";
  text: string;
}

// A list of our own: the usual toast package adds a style element that the Content-Security-Policy refuses.
let toasts: readonly Toast[] = [];
let lastId = 0;
const listeners = new Set<() => void>();

function publish(next: readonly Toast[]) {
  toasts = next;
  for (const listener of listeners) listener();
}

export function showToast(text: string, tone: Toast["tone"] = "done"): void {
  lastId += 1;
  publish([...toasts.slice(-2), { id: lastId, tone, text }]);
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
      aria-label="Messages"
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
    const timer = setTimeout(() => dismiss(toast.id), toast.tone === "failed" ? 9000 : 4000);
    return () => clearTimeout(timer);
  }, [toast]);
  return (
    <div className="arrive pointer-events-auto flex max-w-md items-start gap-2.5 rounded-lg border border-line bg-raised py-2 pr-1.5 pl-3 text-sm shadow-pop">
      <StatusIcon tone={toast.tone} className="mt-1" />
      <p className="py-0.5">{toast.text}</p>
      <IconButton label="Dismiss" size="icon-sm" onClick={() => dismiss(toast.id)}>
        <X className="size-3.5" aria-hidden="true" />
      </IconButton>
    </div>
  );
}
