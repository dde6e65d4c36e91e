import { useCallback, useEffect, useState } from "react";

/** A list of words that this browser remembers; empty on the server and where nothing can be stored. */
export function useStoredList(name: string): [readonly string[], (list: string[]) => void] {
  const [list, setList] = useState<readonly string[]>([]);
  useEffect(() => setList(read(name)), [name]);
  const store = useCallback(
    (next: string[]) => {
      setList(next);
      try {
        localStorage.setItem(name, JSON.stringify(next));
      } catch {
        // A private window: the marks last as long as the page.
      }
    },
    [name],
  );
  return [list, store];
}

function read(name: string): string[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(name) ?? "[]");
    return Array.isArray(stored) ? stored.filter((entry) => typeof entry === "string") : [];
  } catch {
    return [];
  }
}
