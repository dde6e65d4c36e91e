import { stateLine } from "~/features/items/state-line";
import { BlockedReasons } from "~/features/jobs/blocked-reasons";
import type { BlockedReason } from "~/features/jobs/find-blocked-reasons.server";
import { PullLink } from "~/features/jobs/job-badges";
import { JobCard } from "~/features/jobs/job-card";
import { TryIt } from "~/features/previews/try-it";
import { Section } from "~/ui/card";
import { LiveText } from "~/ui/live-text";
import { RelativeTime } from "~/ui/relative-time";
import { StatusIcon, StatusPill } from "~/ui/status";
import type { TaskPageData } from "~/wire/pages/contract";

/** All statuses the task has had. */
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

/** What the page reads of the jobs of a task at most (`get_task_page`). */
const mostJobs = 20;

/** The newest jobs that work or worked on the task. */
export function TaskJobs({ jobs, questions }: Pick<TaskPageData, "jobs" | "questions">) {
  const asking = new Set(questions.filter(({ status }) => status === "open").map(({ job_id }) => job_id));
  return (
    <Section title={jobs.length < mostJobs ? `Jobs (${jobs.length})` : `Jobs (newest ${mostJobs})`}>
      {jobs.length === 0 ? (
        <p className="text-sm text-muted">
          No agent has worked on this task yet. Run it by itself, or start a run of its sprint.
        </p>
      ) : (
        <div className="grid gap-3">
          {jobs.map((job, index) => (
            <JobCard key={job.id} job={job} asks={asking.has(job.id)}>
              {index === 0 ? <TryIt job={job} /> : null}
            </JobCard>
          ))}
        </div>
      )}
    </Section>
  );
}

/** The task's state in the words of its card, and why it does not move. */
export function Standing({ page, why }: { page: TaskPageData; why: readonly BlockedReason[] | null }) {
  const { task, jobs, questions, waits_for } = page;
  const job = jobs.find(({ finished_at }) => finished_at === null);
  const state = stateLine({
    status: task.status,
    open_questions: questions.filter(({ status }) => status === "open").length,
    job_status: job?.status ?? null,
    job_phase: job?.phase ?? null,
    pending_verdict: job?.pending_verdict ?? null,
    holder_name: job?.holder_name ?? null,
    fallback_agent: job?.fallback_agent ?? null,
    waits_for,
    failure_reason: task.status === "failed" ? (jobs[0]?.failure_reason ?? null) : null,
    has_plan: Boolean(task.implementation_plan),
  });
  // The reasons name every blocker, and who has it.
  const isReason = state?.kind === "blocked" || state?.kind === "held";
  const isShown = state === null || (isReason && why !== null);
  const pull = jobs.find((each) => each.pull)?.pull;
  if (isShown && !why && !pull) return null;
  return (
    <div className="grid gap-1">
      {isShown ? null : (
        <p data-state={state.kind} className="flex items-center gap-1.5">
          <StatusIcon tone={state.tone} />
          <LiveText>{state.text}</LiveText>
        </p>
      )}
      {pull ? <PullLink pull={pull} /> : null}
      {why ? <BlockedReasons reasons={why} /> : null}
    </div>
  );
}
