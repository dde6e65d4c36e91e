/**
 * Texts that were typed and neither saved nor thrown away: they outlive their editor and the page, until the tab goes.
 * In memory only, so that nothing of one account is left for the next.
 */
const kept = new Map<string, string>();

export function keptText(key: string): string | undefined {
  return kept.get(key);
}

/** Keeps a text, or forgets it. Whoever closes the tab meanwhile is asked first. */
export function keepText(key: string, text: string | undefined): void {
  if (text === undefined) kept.delete(key);
  else kept.set(key, text);
  if (kept.size > 0) window.addEventListener("beforeunload", askFirst);
  else window.removeEventListener("beforeunload", askFirst);
}

function askFirst(event: BeforeUnloadEvent) {
  event.preventDefault();
}
