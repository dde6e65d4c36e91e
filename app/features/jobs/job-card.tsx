import { Link } from "@remix-run/react";
import type { ReactNode } from "react";
import { LineCounts } from "~/features/diff/line-counts";
import { CodeChip } from "~/ui/badge";
import { Fact, Facts } from "~/ui/card";
import { costsText, tokensText } from "~/ui/numbers";
import { Elapsed, RelativeTime } from "~/ui/relative-time";
import type { AgentJob } from "~/wire/agent-jobs/contract";
import { Failure } from "./failure";
import { JobStatus, PullLink } from "./job-badges";

export const jobKinds: Record<string, string> = {
  TASK_IMPLEMENTATION: "Task",
  PLAN_CHAT: "Idea conversation",
  SPRINT_IMPLEMENTATION: "Batch",
};

/** Sums all tokens of a job, including cached ones. */
export function tokensOf(
  job: Pick<AgentJob, "input_tokens" | "output_tokens" | "cache_read_tokens" | "cache_write_tokens">,
): number {
  return (
    (job.input_tokens ?? 0) + (job.output_tokens ?? 0) + (job.cache_read_tokens ?? 0) + (job.cache_write_tokens ?? 0)
  );
}

type JobCardProps = { job: AgentJob; isHere?: boolean; asks?: boolean; children?: ReactNode };

/** One job with all its details. Set `isHere` on the job's own page. */
export function JobCard({ job, isHere = false, asks, children }: JobCardProps) {
  return (
    <article aria-label={`Job ${job.status}`} className="grid gap-3 rounded-lg border border-line bg-surface p-4">
      <header className="flex flex-wrap items-center gap-2 text-sm">
        <JobStatus job={job} asks={asks} />
        {isHere ? null : (
          <Link to={`/jobs/${job.id}`} className="text-accent underline underline-offset-2 hover:decoration-2">
            Job
          </Link>
        )}
        {job.sprint_run_id ? (
          <Link
            to={`/products/${job.product_id}/runs/${job.sprint_run_id}`}
            className="text-accent underline underline-offset-2 hover:decoration-2"
          >
            Run
          </Link>
        ) : null}
        <span className="text-xs text-muted">
          <RelativeTime at={job.created_at} />
        </span>
      </header>
      <Failure job={job} />
      {job.summary ? <p className="text-sm whitespace-pre-wrap">{job.summary}</p> : null}
      {children}
      <JobFacts job={job} />
    </article>
  );
}

/** Worker, duration, cost and branch of a job. */
export function JobFacts({ job }: { job: AgentJob }) {
  const tokens = tokensOf(job);
  return (
    <Facts>
      {job.worker_name ? <Fact term="Worker">{job.worker_name}</Fact> : null}
      {job.started_at ? (
        <Fact term="Duration">
          <Elapsed from={job.started_at} to={job.attempt_ended_at ?? job.finished_at} />
        </Fact>
      ) : null}
      {job.verify_result ? <Fact term="Verification">{job.verify_result.toLowerCase()}</Fact> : null}
      {tokens > 0 ? <Fact term="Tokens">{[tokensText(tokens), job.model_id].filter(Boolean).join(", ")}</Fact> : null}
      {job.costs.length > 0 ? <Fact term="Cost">{costsText(job.costs)}</Fact> : null}
      {job.retry_count > 0 ? <Fact term="Retries">{job.retry_count}</Fact> : null}
      {job.additions !== null && job.deletions !== null ? (
        <Fact term="Changes">
          <Link to={`/jobs/${job.id}/changes`} className="underline underline-offset-2">
            <LineCounts additions={job.additions} deletions={job.deletions} />
          </Link>
        </Fact>
      ) : null}
      {job.branch ? (
        <Fact term="Branch">
          <code className="font-mono text-xs font-normal wrap-anywhere text-muted">{job.branch}</code>
        </Fact>
      ) : null}
      {job.head_sha ? (
        <Fact term="Commit">
          <CodeChip>{job.head_sha.slice(0, 10)}</CodeChip>
        </Fact>
      ) : null}
      {job.pull ? (
        <Fact term="Pull request">
          <PullLink pull={job.pull} />
        </Fact>
      ) : job.pr_url ? (
        <Fact term="Pull request">
          <a href={job.pr_url} rel="noreferrer" className="text-accent underline">
            Open
          </a>
        </Fact>
      ) : null}
    </Facts>
  );
}
