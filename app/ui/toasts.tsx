import { useEffect, useLayoutEffect, useRef } from "react";
import { Button, IconButton } from "~/ui/button";
import { Icon } from "~/ui/icon";
import { useStartBlocked } from "~/ui/start-blocked";
import { StatusIcon } from "~/ui/status-icon";
import { dismissToast, type Toast } from "~/ui/toast";
import { useUndo } from "~/ui/use-undo";
import { useToasts } from "./toast";
import { keepPlaced, placeToasts } from "./toast-place";

export function Toasts({ toasts }: { toasts: readonly Toast[] }) {
  const list = useRef<HTMLDivElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another message needs another place
  useLayoutEffect(() => {
    const region = list.current?.parentElement;
    if (!region) return;
    placeToasts(region);
    return keepPlaced(region);
  }, [toasts]);
  return (
    <div ref={list} className="contents">
      {toasts.map((toast) => (
        <ToastCard key={toast.id} toast={toast} />
      ))}
    </div>
  );
}

function ToastCard({ toast }: { toast: Toast }) {
  useEffect(() => {
    // Refusals stay longer, because they must be read,
    // and so do toasts with an Undo button.
    const long = toast.tone === "failed" || toast.offer.undo;
    const timer = setTimeout(() => dismissToast(toast.id), long ? 9000 : 4000);
    return () => clearTimeout(timer);
  }, [toast]);
  const undo = useUndo();
  const begin = useStartBlocked();
  const { offer } = toast;
  const waiting = offer.begin;
  const press = (act: () => void) => () => {
    dismissToast(toast.id);
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
      <IconButton label="Dismiss" size="icon-sm" onClick={() => dismissToast(toast.id)}>
        <Icon name="x" className="size-3.5" />
      </IconButton>
    </div>
  );
}

/** The page's one region for toasts. Screen readers read them politely. */
export function ToastRegion() {
  const toasts = useToasts();
  return (
    <section
      aria-label="Notifications"
      aria-live="polite"
      className="pointer-events-none fixed inset-x-3 bottom-20 z-50 grid justify-items-center gap-2 sm:inset-x-auto sm:right-5 sm:bottom-5 sm:justify-items-end"
    >
      {/* Not loaded when the first one appears: it may say that there is no network. */}
      {toasts.length > 0 ? <Toasts toasts={toasts} /> : null}
    </section>
  );
}
