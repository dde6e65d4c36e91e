import type { ChangeEvent } from "~/contract/events";

/** Who reads. */
export const reader = { userId: "me", sessionId: "my-session", tokenId: null };
/** A reader of the solo stream, whose product has an active sprint. */
export const solo = { ...reader, productId: "p", sprintId: "active" };
/** What every event has. */
export const base = { seq: 7, op: "U", id: "x", product_id: "p" } as const;

/** Of my task in the active sprint. */
export function task(fields: Partial<ChangeEvent> = {}): ChangeEvent {
  return { ...base, entity: "task", sprint_id: "active", assignee_id: "me", ...fields };
}

/** Of my story in the active sprint. */
export function story(fields: Partial<ChangeEvent> = {}): ChangeEvent {
  return { ...base, entity: "story", sprint_id: "active", assignee_id: "me", ...fields };
}
