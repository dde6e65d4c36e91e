import { LiveIndicator } from "~/live/live-indicator";
import { useLiveRevalidation } from "~/live/use-live-revalidation";

/** Keeps the count of questions true on every page, and says whether changes of others appear by themselves. */
export function ShellLive() {
  return <LiveIndicator status={useLiveRevalidation({ stream: "notifications" })} />;
}
