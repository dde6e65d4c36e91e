import { Link } from "@remix-run/react";
import { CodeChip } from "~/components/badge";
import { Elapsed } from "~/components/relative-time";
import type { AgentJobDetail } from "~/contract/agent-job";

const outcomeWords: Record<string, string> = {
  done: "done",
  skipped: "was there already",
  failed: "failed",
  cancelled: "cancelled",
  rate_limited: "model's limit reached",
  question: "asked a question",
  lost: "lost",
  returned: "given back",
};

/** Who tried, for how long, and how it ended; each leads to what it said. */
export function AttemptList({ job, shown }: { job: AgentJobDetail; shown: number | null }) {
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
            Attempt {attempt.attempt}: {attempt.outcome ? outcomeWords[attempt.outcome] : "at work"}
          </Link>
          <span className="flex flex-wrap gap-x-3 text-xs text-muted">
            <span>{attempt.worker_name}</span>
            <Elapsed from={attempt.started_at} to={attempt.ended_at} />
            {attempt.head_sha ? <CodeChip>{attempt.head_sha.slice(0, 10)}</CodeChip> : null}
          </span>
          {attempt.kept_ref ? (
            <span className="text-xs break-words text-muted">
              Work kept on <code className="font-mono">{attempt.kept_ref}</code>
            </span>
          ) : null}
        </li>
      ))}
    </ol>
  );
}
