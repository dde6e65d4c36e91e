import type { ChangeEvent } from "~/contract/events";
import {
  type Delivery,
  deliverCredentialChange,
  drop,
  type Reader,
  refresh,
  send,
} from "./delivery";
import { pick } from "./pick";

/**
 * The filter of the notifications stream. Questions reach a user's topic only while the user is a member of their
 * product; when that changes, the state is read anew (specification: Notifications stream).
 */
export function deliverNotifications(event: ChangeEvent, reader: Reader): Delivery {
  const credential = deliverCredentialChange(event, reader);
  if (credential) return credential;

  switch (event.entity) {
    case "question":
      return send;
    case "member":
    case "product":
    // Something else waits for them, or does so no more: who reads the state anew hears of it.
    case "inbox":
      return refresh;
    default:
      return drop;
  }
}

const questionFields = [
  "op",
  "entity",
  "id",
  "product_id",
  "story_id",
  "idea_id",
  "task_id",
  "assignee_id",
  "status",
];

export function notificationsPayload(event: ChangeEvent): Record<string, unknown> {
  return pick(event, questionFields);
}
