import { Link } from "@remix-run/react";
import { firstLine } from "~/features/jobs/first-line";
import { JobStatus, PullLink, waitsForReview } from "~/features/jobs/job-badges";
import { tokensOf } from "~/features/jobs/job-card";
import { DoingLine } from "~/features/output/doing-line";
import { useDoing } from "~/live/use-live-stream";
import { WritePress } from "~/ui/action-form";
import { AgentName } from "~/ui/avatar";
import { CodeChip } from "~/ui/badge";
import { LiveText } from "~/ui/live-text";
import { costsText, tokensText } from "~/ui/numbers";
import { Elapsed, RelativeTime } from "~/ui/relative-time";
import { isHeld, StatusPill } from "~/ui/status";
import type { AgentJob } from "~/wire/agent-jobs/contract";
import type { Doing } from "~/wire/events";
import type { SprintRunDetail, TaskExecution } from "~/wire/sprint-runs/contract";

/** One line per job. In a batch run, one line per task of its only job. */
export function RunJobs({ run, asking }: { run: SprintRunDetail; asking: ReadonlySet<string> }) {
  const doing = useDoing(
    run.product_id,
    run.jobs.some(({ status }) => isHeld(status)),
  );
  return (
    <ol className="divide-y divide-line">
      {run.jobs.map((job) => (
        <JobLine
          key={job.id}
          job={job}
          doing={doing.get(job.id)}
          asks={job.parked_question_id !== null && asking.has(job.parked_question_id)}
          batch={run.executions.length > 0}
        />
      ))}
      {run.executions.map((execution) => (
        <ExecutionLine key={execution.id} execution={execution} />
      ))}
    </ol>
  );
}

type JobLineProps = { job: AgentJob; doing: Doing | undefined; asks: boolean; batch: boolean };

function JobLine({ job, doing, asks, batch }: JobLineProps) {
  const running = isHeld(job.status);
  return (
    <li className="grid gap-1 px-4 py-2.5 text-sm">
      <div className="flex min-h-7 flex-wrap items-center gap-x-3 gap-y-1">
        <JobStatus job={job} asks={asks} />
        {batch || !job.task_id ? (
          <span className="min-w-40 flex-1 font-medium">One job for the whole run</span>
        ) : (
          <Link to={`/tasks/${job.task_id}`} data-row className="min-w-32 flex-1 hover:underline">
            <CodeChip className="mr-2">{job.task_code ?? ""}</CodeChip>
            <LiveText>{job.task_title}</LiveText>
          </Link>
        )}
        <JobFigures job={job} />
        {job.status === "queued" && !waitsForReview(job) ? (
          <WritePress fields={{ intent: "cancel-job" }} size="sm" tone="quiet" name="job_id" value={job.id}>
            Cancel<span className="sr-only"> the job of {job.task_code}</span>
          </WritePress>
        ) : null}
      </div>
      {running ? (
        <p className="text-xs">
          <DoingLine read={job.doing} live={doing} />
        </p>
      ) : null}
      {job.failure_reason ? <p className="text-failed">{firstLine(job.failure_reason)}</p> : null}
      {asks ? (
        <p className="text-waiting">
          <Link to={`/inbox?item=${job.parked_question_id}`} className="underline">
            View question
          </Link>
        </p>
      ) : null}
    </li>
  );
}

function ExecutionLine({ execution }: { execution: TaskExecution }) {
  return (
    <li className="grid gap-1 px-4 py-2.5 pl-8 text-sm">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <StatusPill status={execution.status} />
        <Link to={`/tasks/${execution.task_id}`} data-row className="min-w-40 flex-1 hover:underline">
          <CodeChip className="mr-2">{execution.task_code}</CodeChip>
          <LiveText>{execution.task_title}</LiveText>
        </Link>
        <span className="text-xs text-muted">
          {execution.verify_result ? (
            <LiveText>{`verification: ${execution.verify_result.toLowerCase()} `}</LiveText>
          ) : null}
          {execution.started_at ? <Elapsed from={execution.started_at} to={execution.finished_at} /> : null}
        </span>
      </div>
      {execution.failure_reason ? <p className="text-failed">{firstLine(execution.failure_reason)}</p> : null}
    </li>
  );
}

function JobFigures({ job }: { job: AgentJob }) {
  const tokens = tokensOf(job);
  const running = isHeld(job.status);
  return (
    <span className="flex flex-wrap items-center gap-x-3 text-xs text-muted empty:hidden">
      {job.worker_name ? <AgentName>{job.worker_name}</AgentName> : null}
      {job.started_at ? <Elapsed from={job.started_at} to={job.finished_at} /> : null}
      {running ? (
        <span>
          active <RelativeTime at={job.updated_at} />
        </span>
      ) : null}
      {job.attempt > 0 ? (
        <Link to={`/jobs/${job.id}`} className="text-accent underline">
          {running ? "watch" : "output"}
        </Link>
      ) : null}
      {job.verify_result ? <span>{`verification: ${job.verify_result.toLowerCase()}`}</span> : null}
      {tokens > 0 ? <span>{tokensText(tokens)}</span> : null}
      {job.costs.length > 0 ? <span>{costsText(job.costs)}</span> : null}
      {job.pull ? (
        <PullLink pull={job.pull} />
      ) : job.pr_url ? (
        <a href={job.pr_url} rel="noreferrer" className="text-accent underline">
          pull request
        </a>
      ) : null}
    </span>
  );
}
