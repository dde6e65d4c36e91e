import type { BacklogChange, QuestionChange, SoloChange } from "~/contract/events";
import { useLive } from "./live-provider";
import type { LiveStatus } from "./live-status";
import { useBacklogStream } from "./use-backlog-stream";
import { useNotificationsStream } from "./use-notifications-stream";
import { useSoloStream } from "./use-solo-stream";

type LiveRevalidation =
  | {
      stream: "backlog";
      productId: string;
      when?: (change: BacklogChange) => boolean;
      enabled?: boolean;
    }
  | { stream: "solo"; productId: string; when?: (change: SoloChange) => boolean; enabled?: boolean }
  | { stream: "notifications"; when?: (change: QuestionChange) => boolean; enabled?: boolean };

/** Keeps the loaders of a page true: they run again when a change concerns them and after every gap. */
export function useLiveRevalidation(options: LiveRevalidation): LiveStatus {
  const { revalidate: ask } = useLive();
  const { stream, enabled = true } = options;
  const productId = stream === "notifications" ? "" : options.productId;

  const backlog = useBacklogStream(productId, {
    enabled: enabled && stream === "backlog",
    onResync: ask,
    onChange: (change) => {
      // What an agent says comes every second, and changes nothing that a loader reads.
      if (options.stream !== "backlog" || change.entity === "job_output") return;
      if (options.when?.(change) ?? true) ask();
    },
  });
  const solo = useSoloStream(productId, {
    enabled: enabled && stream === "solo",
    onResync: ask,
    onChange: (change) => {
      if (options.stream === "solo" && (options.when?.(change) ?? true)) ask();
    },
  });
  const notifications = useNotificationsStream({
    enabled: enabled && stream === "notifications",
    onState: ask,
    onVisible: ask,
    onChange: (change) => {
      if (options.stream === "notifications" && (options.when?.(change) ?? true)) ask();
    },
  });
  return { backlog, solo, notifications }[stream];
}
