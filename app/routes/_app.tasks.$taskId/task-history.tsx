import type { TaskPageData } from "~/contract/page-data";
import { Section } from "~/ui/card";
import { RelativeTime } from "~/ui/relative-time";
import { StatusPill } from "~/ui/status-pill";

/** Every status that the task had. */
export function TaskHistory({ history }: { history: TaskPageData["history"] }) {
  if (history.length === 0) return null;
  return (
    <Section title="History">
      <ol className="grid gap-1 text-xs text-muted">
        {history.map((change) => (
          <li key={change.id} className="flex items-center gap-2">
            <StatusPill status={change.to_status} />
            <RelativeTime at={change.changed_at} />
          </li>
        ))}
      </ol>
    </Section>
  );
}
