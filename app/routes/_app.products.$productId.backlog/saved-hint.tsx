import type { useFetcher } from "@remix-run/react";

/** "Saved", said beside the button that saved. */
export function SavedHint({ fetcher }: { fetcher: ReturnType<typeof useFetcher> }) {
  const { state, data } = fetcher;
  const saved = state === "idle" && typeof data === "object" && data !== null && "ok" in data;
  return (
    <span role="status" className="text-sm text-muted">
      {saved ? "Saved" : ""}
    </span>
  );
}
