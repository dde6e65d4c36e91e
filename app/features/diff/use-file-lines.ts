import { useEffect, useRef, useState } from "react";
import type { ShownFile, ShownHunk } from "./shown-diff";

/** The lines of a file: as the page brought them, else loaded once its place is open and near. */
export function useFileLines(file: ShownFile, address: string, isOpen: boolean) {
  const place = useRef<HTMLDetailsElement>(null);
  const [loaded, setLoaded] = useState<{ key: string; hunks: ShownHunk[] } | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const hunks = file.hunks ?? (loaded?.key === file.key ? loaded.hunks : null);
  const isWanted = isOpen && hunks === null;
  useEffect(() => {
    const element = place.current;
    if (!isWanted || !element) return;
    const closing = new AbortController();
    const load = async (): Promise<void> => {
      try {
        const answer = await fetch(address, { signal: closing.signal });
        if (!answer.ok) throw new Error(String(answer.status));
        const told: ShownFile = await answer.json();
        setLoaded({ key: file.key, hunks: told.hunks ?? [] });
      } catch {
        if (!closing.signal.aborted) setProblem("The diff could not be loaded. Reload the page.");
      }
    };
    const observer = new IntersectionObserver(
      (entries) => {
        if (!entries.some((entry) => entry.isIntersecting)) return;
        observer.disconnect();
        void load();
      },
      { rootMargin: "1500px" },
    );
    observer.observe(element);
    return () => {
      observer.disconnect();
      closing.abort();
    };
  }, [isWanted, address, file.key]);
  return { hunks, problem, place };
}
