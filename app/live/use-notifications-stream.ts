import type { z } from "zod";
import {
  notificationsStateSchema,
  type QuestionChange,
  questionChangeSchema,
} from "~/contract/events";
import type { LiveStatus } from "./live-status";
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
        const state = notificationsStateSchema.safeParse(signal.data).data;
        if (state) onState?.(state.questions);
      } else if (signal.type === "change") {
        const change = questionChangeSchema.safeParse(signal.data).data;
        if (change) onChange?.(change);
      }
    },
  });
}
