import { useToasts } from "./toast";
import { Toasts } from "./toasts";

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
