import { useSyncExternalStore } from "react";

let refusals: ReadonlyMap<string, string> = new Map();
const listeners = new Set<() => void>();

/** Notes why the last change of these items was refused; null if it was not, or if another is being saved. */
export function noteRefusal(items: readonly string[], reason: string | null) {
  const others = [...refusals].filter(([item]) => !items.includes(item));
  refusals = new Map(
    reason ? [...others, ...items.map((item) => [item, reason] as const)] : others,
  );
  for (const listener of listeners) listener();
}

const none: ReadonlyMap<string, string> = new Map();

export function useRefusals(): ReadonlyMap<string, string> {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => refusals,
    () => none,
  );
}
