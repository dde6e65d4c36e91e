import { useFetcher } from "@remix-run/react";
import { useEffect } from "react";
import type { Candidates, DependencyKind } from "~/wire/dependencies/contract";

/** Returns possible blockers; null while loading. Loads as soon as `what` is set. */
export function useCandidates(what: { kind: DependencyKind; id: string } | null, typed: string): Candidates | null {
  const { kind = "task", id = "" } = what ?? {};
  const { data, load } = useFetcher<Candidates>({ key: `candidates ${kind}:${id}` });
  useEffect(() => {
    if (id !== "") load(`/candidates?${new URLSearchParams({ kind, id, query: typed.trim() })}`);
  }, [kind, id, typed, load]);
  return Array.isArray(data) ? data : null;
}
