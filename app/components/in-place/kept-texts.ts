import { useState } from "react";

/**
 * Texts that were typed and neither saved nor thrown away: they outlive their editor and the page, until the tab goes.
 * In memory only, so that nothing of one account is left for the next.
 */
const kept = new Map<string, string>();

/** What is kept under a key, and how to keep another text there, or none. Whoever closes the tab meanwhile is asked first. */
export function useKeptText(key: string) {
  const [text, setText] = useState(() => kept.get(key));
  const keep = (next: string | undefined) => {
    if (next === undefined) kept.delete(key);
    else kept.set(key, next);
    if (kept.size > 0) window.addEventListener("beforeunload", askFirst);
    else window.removeEventListener("beforeunload", askFirst);
    setText(next);
  };
  return [text, keep] as const;
}

function askFirst(event: BeforeUnloadEvent) {
  event.preventDefault();
}
