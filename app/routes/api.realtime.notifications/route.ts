import { streamRoute } from "~/http/stream-route.server";
import { openEventStream } from "~/sse/event-stream.server";
import { notificationsStream } from "~/sse/notifications-stream.server";

const route = streamRoute({
  // The cookie alone decides here; an Authorization header is not looked at.
  auth: "cookie",
  open: ({ actor, request, context }) =>
    openEventStream({ request, context }, notificationsStream(actor)),
});

/** `GET /api/realtime/notifications` (specification: Notifications stream). */
export const loader = route.loader;
export const action = route.action;
