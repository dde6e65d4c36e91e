import { clsx } from "clsx";
import type { LiveStatus } from "./signal";

const texts: Readonly<Record<LiveStatus, string>> = {
  connecting: "Connecting to live updates",
  live: "Live: updates appear automatically",
  reconnecting: "Reconnecting. Updates may be late",
  offline: "You are offline. Updates resume when you reconnect",
  refused: "Live updates stopped. Reload the page",
};

/** Dot that shows whether the page is live. Text appears only when it is not. */
export function LiveIndicator({ status }: { status: LiveStatus }) {
  const isQuiet = status === "live" || status === "connecting";
  return (
    <span
      role="status"
      title={texts[status]}
      data-live={status}
      className="inline-flex items-center gap-1.5 text-2xs text-muted"
    >
      <span
        aria-hidden="true"
        className={clsx("size-1.5 rounded-full", isQuiet ? "bg-done" : "bg-waiting", {
          "opacity-40": status === "connecting",
        })}
      />
      <span className={clsx(isQuiet && "sr-only")}>
        {isQuiet ? texts[status] : shortText(status)}
      </span>
    </span>
  );
}

function shortText(status: LiveStatus): string {
  if (status === "offline") return "Offline";
  return status === "refused" ? "Not live" : "Reconnecting";
}
