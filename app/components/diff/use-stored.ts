import { useCallback, useEffect, useRef, useState } from "react";

type List = readonly string[];

/** A list of words that this browser remembers, and a way to change it; empty on the server and where nothing can be stored. */
export function useStoredList(name: string): [List, (change: (list: List) => List) => void] {
  const [list, setList] = useState<List>([]);
  // Several changes may come before the list is drawn again.
  const latest = useRef(list);
  const show = useCallback((next: List) => {
    latest.current = next;
    setList(next);
  }, []);
  useEffect(() => show(read(name)), [name, show]);
  const store = useCallback(
    (change: (list: List) => List) => {
      show(change(latest.current));
      try {
        localStorage.setItem(name, JSON.stringify(latest.current));
      } catch {
        // A private window: the marks last as long as the page.
      }
    },
    [name, show],
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
