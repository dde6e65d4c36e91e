import type { FreshStart } from "~/nouns/agent-jobs/beginning";
import { RelativeTime } from "~/ui/relative-time";

/** Who started the story over, when, and which work was left out. */
export function FreshStarts({ starts }: { starts: readonly FreshStart[] }) {
  if (starts.length === 0) return null;
  return (
    <ul className="grid gap-1 text-sm text-muted" aria-label="Started over">
      {starts.map(({ id, started_by, created_at, left }) => (
        <li key={id} className="break-words">
          {started_by} started over from main <RelativeTime at={created_at} />, without{" "}
          {left.map(({ branch, head_sha }) => `${branch} (${head_sha.slice(0, 8)})`).join(", ")}
        </li>
      ))}
    </ul>
  );
}
