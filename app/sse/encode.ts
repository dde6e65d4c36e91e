const encoder = new TextEncoder();

/** A stream message: a named event, or an unnamed one that carries a change (specification: Events rule 4). */
export interface Message {
  event?: string;
  /** A reconnecting browser returns it as `Last-Event-ID`. */
  id?: string;
  data: unknown;
}

/** JSON contains no raw line breaks, so user text cannot start another message; we choose the other fields. */
export function encodeMessage({ event, id, data }: Message): Uint8Array {
  const name = event === undefined ? "" : `event: ${event}\n`;
  const cursor = id === undefined || id === "" ? "" : `id: ${id}\n`;
  return encoder.encode(`${name}${cursor}data: ${JSON.stringify(data)}\n\n`);
}

/** Comment line that keeps an idle connection alive (specification: Events rule 1). */
export const heartbeat = encoder.encode(": heartbeat\n\n");

/** Message id: the hub's cursor, plus the reader's position in the job output if the stream carries output. */
export function eventId(cursor: string, position?: string): string {
  return position === undefined ? cursor : `${cursor};${position}`;
}

/** Splits a `Last-Event-ID`. The hub and the source validate its parts. */
export function readEventId(id: string): { cursor: string; place: string | undefined } {
  const [cursor = "", place] = id.split(";");
  return { cursor, place };
}
