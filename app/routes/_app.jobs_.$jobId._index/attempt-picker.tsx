import { Link } from "@remix-run/react";
import type { AgentJobDetail } from "~/contract/agent-job";
import { attemptName } from "~/features/jobs/attempt-words";
import { ConfinementBadge } from "~/features/jobs/confinement-badge";
import { Elapsed } from "~/ui/relative-time";

/** Who tried, for how long, and how it ended; each leads to what it said. */
export function AttemptPicker({ job, shown }: { job: AgentJobDetail; shown: number | null }) {
  if (job.attempts.length === 0) {
    return <p className="text-sm text-muted">No worker has taken this job yet.</p>;
  }
  return (
    <ol className="grid gap-3">
      {job.attempts.map((attempt) => (
        <li key={attempt.attempt} className="grid gap-0.5 text-sm">
          <Link
            to={`?attempt=${attempt.attempt}`}
            aria-current={attempt.attempt === shown ? "page" : undefined}
            className="hover:underline aria-[current=page]:font-medium"
          >
            {attemptName(attempt)}
          </Link>
          <span className="flex flex-wrap items-center gap-x-3 gap-y-1 text-xs text-muted">
            <span>{attempt.worker_name}</span>
            <Elapsed from={attempt.started_at} to={attempt.ended_at} />
            <ConfinementBadge confinement={attempt.confinement} />
          </span>
        </li>
      ))}
    </ol>
  );
}
