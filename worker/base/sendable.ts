/** Without characters that databases cannot store, and short: work must not be lost because of a text. */
export function sendable(text: string, limit: number): string {
  return text
    .replaceAll("\0", "")
    .slice(0, limit)
    .replace(/\p{Surrogate}/gu, "\ufffd");
}

/** Like `sendable`, but keeps the end, which matters most in a command's output. */
export function sendableEnd(text: string, limit: number): string {
  return text
    .replaceAll("\0", "")
    .slice(-limit)
    .replace(/\p{Surrogate}/gu, "\ufffd");
}
