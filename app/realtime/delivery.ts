import type { ChangeEvent } from "~/wire/events";

/** What a stream does with one event, as every filter returns it. */
export interface Delivery {
  send: boolean;
  /** `refresh` reads the state again and sends a new `ready` or `state`; `end` closes the stream. */
  follow?: "refresh" | "end";
}

export const drop: Delivery = { send: false };
export const send: Delivery = { send: true };
export const refresh: Delivery = { send: false, follow: "refresh" };
export const sendAndRefresh: Delivery = { send: true, follow: "refresh" };
export const end: Delivery = { send: false, follow: "end" };
export const sendAndEnd: Delivery = { send: true, follow: "end" };

export type Reader = { userId: string; sessionId: string | null; tokenId: string | null };

/** Undefined but for events of the reader's own credential, which end or refresh it (specification: Authentication). */
export function deliverCredentialChange(event: ChangeEvent, reader: Reader): Delivery | undefined {
  if (event.entity === "session") return verdict(event, reader.sessionId);
  if (event.entity === "api_token") return verdict(event, reader.tokenId);
  return undefined;
}

function verdict(event: ChangeEvent, credentialId: string | null): Delivery {
  if (event.id !== credentialId) return drop;
  return event.op === "D" ? end : refresh;
}

/** Whether an event ends the reader's access to the product (specification: Authentication 4). */
export function losesProduct(event: ChangeEvent, productId: string, userId: string): boolean {
  if (event.product_id !== productId) return false;
  if (event.entity === "member") return event.op === "D" && event.user_id === userId;
  return event.entity === "product" && (event.op === "D" || event.archived === true);
}

type Fields = Readonly<Record<string, unknown>>;

/** Returns the given fields of an event that are defined, in the given order. */
export function pick(event: Fields, fields: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(fields.map((field) => [field, event[field]]).filter(([, value]) => value !== undefined));
}

/** Like `pick`, but also leaves out null fields. */
export function pickPresent(event: Fields, fields: readonly string[]): Record<string, unknown> {
  return pick(
    event,
    fields.filter((field) => event[field] !== null),
  );
}
