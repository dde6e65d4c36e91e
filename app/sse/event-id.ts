/** Message id: the hub's cursor, plus the reader's place in the job output if the stream carries output. */
export function eventId(cursor: string, place?: string): string {
  return place === undefined ? cursor : `${cursor};${place}`;
}

/** Splits a `Last-Event-ID`. The hub and the source validate its parts. */
export function readEventId(id: string): { cursor: string; place: string | undefined } {
  const [cursor = "", place] = id.split(";");
  return { cursor, place };
}
