import { useFetchers } from "@remix-run/react";
import { useMemo, useSyncExternalStore } from "react";

/** Returns items with a change being saved. Their rows and cards say so if it takes long. */
export function useItemsOnTheWay(): ReadonlySet<string> {
  const names = useFetchers()
    .flatMap(({ formData }) => [
      ...(formData?.getAll("thing") ?? []),
      ...(formData?.getAll("task_id") ?? []).map((id) => `task:${id}`),
    ])
    .map(String)
    .join(" ");
  return useMemo(() => new Set(names.split(" ")), [names]);
}

/** How long a row shows why its change was refused, unless it is changed again. */
const shownMs = 30_000;

let refusals: ReadonlyMap<string, string> = new Map();
const listeners = new Set<() => void>();

/** Notes why the last change of these items was refused; null if it was not, or if another is being saved. */
export function noteRefusal(items: readonly string[], reason: string | null) {
  if (reason === null && !items.some((item) => refusals.has(item))) return;
  const next = new Map(refusals);
  for (const item of items) {
    if (reason === null) next.delete(item);
    else next.set(item, reason);
  }
  refusals = next;
  for (const listener of listeners) listener();
  if (reason !== null) setTimeout(() => forget(items, reason), shownMs);
}

function forget(items: readonly string[], reason: string) {
  noteRefusal(
    items.filter((item) => refusals.get(item) === reason),
    null,
  );
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
