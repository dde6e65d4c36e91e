/** The id of a message: the hub's cursor and, where more than events comes, the reader's place in that. */
export function eventId(cursor: string, place?: string): string {
  return place === undefined ? cursor : `${cursor};${place}`;
}

/** Takes a `Last-Event-ID` apart; whether it says anything is for the hub and the source to judge. */
export function readEventId(id: string): { cursor: string; place: string | undefined } {
  const [cursor = "", place] = id.split(";");
  return { cursor, place };
}
