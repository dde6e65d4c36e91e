import { openEventStream } from "~/http/open-event-stream.server";
import { streamRoute } from "~/http/stream-route.server";
import { notificationsStream } from "~/sse/notifications-stream.server";

/** `GET /api/realtime/notifications` (specification: Notifications stream). */
export const loader = streamRoute({
  name: "streamNotifications",
  summary: "Stream changes of questions in all your products",
  // Only the cookie counts; an Authorization header is ignored.
  auth: "cookie",
  open: ({ actor, request, context }) => openEventStream({ request, context }, notificationsStream(actor)),
});
