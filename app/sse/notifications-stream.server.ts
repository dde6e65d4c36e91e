import { z } from "zod";
import { type Actor, callAs } from "~/db/rpc.server";
import { deliverNotifications, notificationsName, notificationsPayload } from "~/realtime/deliver-notifications";
import { notificationsStateSchema, topics } from "~/wire/events";
import { readerOf, type StreamSource, streamViewerSchema } from "./stream-source";

const stateSchema = z.object({
  viewer: streamViewerSchema,
  notifications: z.object({ questions: notificationsStateSchema.shape.questions }),
});

/** `GET /api/realtime/notifications`: agent questions in every product the reader has access to. */
export function notificationsStream(actor: Actor): StreamSource {
  return {
    kind: "notifications",
    nameOf: notificationsName,
    payload: notificationsPayload,
    async read() {
      const { viewer, notifications } = await callAs(actor, "read_notifications_stream", {}, stateSchema);
      const reader = readerOf(viewer);
      return {
        limitKey: `user:${reader.userId}`,
        expiresAt: viewer.expires_at,
        snapshot: viewer.snapshot,
        access: { ...reader, productId: null },
        topics: [topics.user(reader.userId)],
        greeting: (resumed) => [
          { event: "state", data: { questions: notifications.questions, ...(resumed && { resumed }) } },
        ],
        deliver: (event) => deliverNotifications(event, reader),
      };
    },
  };
}
