import { JobCard } from "~/features/jobs/job-card";
import type { TaskPageData } from "~/nouns/pages/contract";
import { Section } from "~/ui/card";
import { RelativeTime } from "~/ui/relative-time";
import { StatusPill } from "~/ui/status-pill";

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

/** Jobs that work or worked on the task. */
export function TaskJobs({ jobs, questions }: Pick<TaskPageData, "jobs" | "questions">) {
  const asking = new Set(
    questions.filter(({ status }) => status === "open").map(({ job_id }) => job_id),
  );
  return (
    <Section title={`Jobs (${jobs.length})`}>
      {jobs.length === 0 ? (
        <p className="text-sm text-muted">
          No agent has worked on this task yet. Run it by itself, or start a run of its sprint.
        </p>
      ) : (
        <div className="grid gap-3">
          {jobs.map((job) => (
            <JobCard key={job.id} job={job} asks={asking.has(job.id)} />
          ))}
        </div>
      )}
    </Section>
  );
}
