import type { z } from "zod";
import type { notificationsStateSchema, QuestionChange } from "~/contract/events";
import type { LiveStatus } from "./live-status";
import { isNotificationsState, isQuestionChange } from "./read-message";
import { useLiveStream } from "./use-live-stream";

interface NotificationsStreamOptions {
  /** The open questions, with their texts: after connecting and after every reconnect. */
  onState?: (questions: z.infer<typeof notificationsStateSchema>["questions"]) => void;
  onChange?: (change: QuestionChange) => void;
  onVisible?: () => void;
  enabled?: boolean;
}

/** The notifications stream of the signed-in user (specification: Notifications stream). */
export function useNotificationsStream(options: NotificationsStreamOptions): LiveStatus {
  const { onState, onChange, onVisible, enabled = true } = options;
  return useLiveStream({
    url: enabled ? "/api/realtime/notifications" : null,
    onVisible,
    onSignal(signal) {
      if (signal.type === "named" && signal.name === "state") {
        if (isNotificationsState(signal.data)) onState?.(signal.data.questions);
      } else if (signal.type === "change" && isQuestionChange(signal.data)) {
        onChange?.(signal.data);
      }
    },
  });
}
