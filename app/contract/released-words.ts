/** Returns the end of a message that says which tasks can start now; empty if none were unblocked. */
export function releasedWords(codes: readonly string[] | undefined): string {
  if (!codes || codes.length === 0) return "";
  const shown = codes.slice(0, 3).join(", ");
  const more = codes.length > 3 ? ` and ${codes.length - 3} more` : "";
  return `. ${shown}${more} can start now`;
}
