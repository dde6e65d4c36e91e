import { lazy, Suspense } from "react";
import { useToasts } from "./toast";

/** Loaded lazily: toasts only appear after something happened. */
const Toasts = lazy(() => import("./toasts"));

/** The page's one region for toasts. Screen readers read them politely. */
export function ToastRegion() {
  const toasts = useToasts();
  return (
    <section
      aria-label="Notifications"
      aria-live="polite"
      className="pointer-events-none fixed inset-x-3 bottom-20 z-50 grid justify-items-center gap-2 sm:inset-x-auto sm:right-5 sm:bottom-5 sm:justify-items-end"
    >
      {toasts.length > 0 ? (
        <Suspense>
          <Toasts toasts={toasts} />
        </Suspense>
      ) : null}
    </section>
  );
}
