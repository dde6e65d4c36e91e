const encoder = new TextEncoder();

/** A message of a stream: a named event, or an unnamed one that carries a change (specification: Events rule 4). */
export interface Message {
  event?: string;
  /** Given back by a browser that reconnects, as `Last-Event-ID`. */
  id?: string;
  data: unknown;
}

/**
 * One server-sent message. JSON holds no raw line breaks, so a text can never begin a message of its own;
 * the other two fields are ours.
 */
export function encodeMessage({ event, id, data }: Message): Uint8Array {
  const name = event === undefined ? "" : `event: ${event}\n`;
  const cursor = id === undefined || id === "" ? "" : `id: ${id}\n`;
  return encoder.encode(`${name}${cursor}data: ${JSON.stringify(data)}\n\n`);
}

/** The comment that keeps a quiet connection alive (specification: Events rule 1). */
export const heartbeat = encoder.encode(": heartbeat\n\n");
