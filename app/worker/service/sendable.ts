/**
 * A text of a command as the service takes it: its beginning, without what no database stores. Work is never lost because
 * somebody said too much about it.
 */
export function sendable(text: string, limit: number): string {
  return text
    .replaceAll("\0", "")
    .slice(0, limit)
    .replace(/\p{Surrogate}/gu, "\ufffd");
}

/** The same for a text whose end says most, as the output of a command does. */
export function sendableEnd(text: string, limit: number): string {
  return text
    .replaceAll("\0", "")
    .slice(-limit)
    .replace(/\p{Surrogate}/gu, "\ufffd");
}
