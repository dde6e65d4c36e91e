import type { z } from "zod";
import type {
  BacklogChange,
  notificationsStateSchema,
  QuestionChange,
  SoloChange,
  soloJobsSchema,
  soloReadySchema,
} from "~/contract/events";
import { useLive } from "./live-provider";
import type { LiveStatus } from "./live-status";
import {
  isFields,
  isInboxChange,
  isNotificationsState,
  isQuestionChange,
  isResumed,
  isSoloChange,
  isSoloJobs,
  isSoloReady,
} from "./read-message";
import type { Signal } from "./signal";
import { useBacklogStream } from "./use-backlog-stream";
import { useLiveStream } from "./use-live-stream";

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
    onInbox: ask,
    onVisible: ask,
    onChange: (change) => {
      if (options.stream === "notifications" && (options.when?.(change) ?? true)) ask();
    },
  });
  return { backlog, solo, notifications }[stream];
}

interface NotificationsStreamOptions {
  /** The open questions, with their texts: after connecting and after every reconnect. */
  onState?: (questions: z.infer<typeof notificationsStateSchema>["questions"]) => void;
  onChange?: (change: QuestionChange) => void;
  /** Something else waits for the user, or does so no more. */
  onInbox?: () => void;
  onVisible?: () => void;
  enabled?: boolean;
}

/** The notifications stream of the signed-in user (specification: Notifications stream). */
function useNotificationsStream(options: NotificationsStreamOptions): LiveStatus {
  const { onState, onChange, onInbox, onVisible, enabled = true } = options;
  return useLiveStream({
    url: enabled ? "/api/realtime/notifications" : null,
    onVisible,
    onSignal(signal) {
      if (signal.type === "named" && signal.name === "state") {
        if (isNotificationsState(signal.data)) onState?.(signal.data.questions);
      } else if (signal.type === "change" && isQuestionChange(signal.data)) {
        onChange?.(signal.data);
      } else if (signal.type === "change" && isInboxChange(signal.data)) {
        onInbox?.();
      }
    },
  });
}

interface SoloStreamOptions {
  onReady?: (ready: z.infer<typeof soloReadySchema>) => void;
  onJobs?: (jobs: z.infer<typeof soloJobsSchema>["jobs"]) => void;
  onWorkers?: (count: number) => void;
  onChange?: (change: SoloChange) => void;
  /** Read the data again: first `ready`, reconnect, another sprint or assignee, tab visible, network back. */
  onResync: () => void;
  enabled?: boolean;
}

/** The solo stream of one product (specification: Solo stream). */
function useSoloStream(productId: string, options: SoloStreamOptions): LiveStatus {
  return useLiveStream({
    url: (options.enabled ?? true) ? `/api/realtime/solo?product_id=${productId}` : null,
    onVisible: options.onResync,
    onSignal: (signal) => handle(signal, options),
  });
}

function handle(signal: Signal, options: SoloStreamOptions): void {
  if (signal.type === "change") {
    if (isSoloChange(signal.data)) options.onChange?.(signal.data);
  } else if (signal.type === "named") {
    handleNamed(signal.name, signal.data, options);
  }
}

function handleNamed(name: string, data: unknown, options: SoloStreamOptions): void {
  if (name === "ready") {
    if (isSoloReady(data)) options.onReady?.(data);
    if (!isResumed(data)) options.onResync();
  } else if (name === "jobs") {
    if (isSoloJobs(data)) options.onJobs?.(data.jobs);
  } else if (name === "workers") {
    if (isFields(data) && typeof data.count === "number") options.onWorkers?.(data.count);
  }
}
