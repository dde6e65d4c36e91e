import type { ChangeEvent } from "~/wire/events";
import { type Delivery, deliverCredentialChange, drop, pick, type Reader, refresh, send } from "./delivery";

/**
 * Questions reach only members of their product; when membership changes, the state is read again. Other changes to
 * the inbox come as the named event `inbox` (specification: Notifications stream).
 */
export function deliverNotifications(event: ChangeEvent, reader: Reader): Delivery {
  const credential = deliverCredentialChange(event, reader);
  if (credential) return credential;

  switch (event.entity) {
    case "question":
    case "inbox":
      return send;
    case "member":
    case "product":
      return refresh;
    default:
      return drop;
  }
}

const questionFields = ["op", "entity", "id", "product_id", "story_id", "idea_id", "task_id", "assignee_id", "status"];

export function notificationsPayload(event: ChangeEvent): Record<string, unknown> {
  if (event.entity === "inbox") return pick(event, ["op", "entity", "id", "product_id"]);
  return pick(event, questionFields);
}

/** Unnamed messages are questions only. Inbox changes are named, so older readers ignore them. */
export function notificationsName(event: ChangeEvent): string | undefined {
  return event.entity === "inbox" ? "inbox" : undefined;
}
