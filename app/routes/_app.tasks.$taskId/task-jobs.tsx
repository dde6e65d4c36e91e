import type { TaskPageData } from "~/contract/page-data";
import { JobCard } from "~/features/jobs/job-card";
import { Section } from "~/ui/card";

export function TaskJobs({ jobs }: { jobs: TaskPageData["jobs"] }) {
  return (
    <Section title={`Jobs (${jobs.length})`}>
      {jobs.length === 0 ? (
        <p className="text-sm text-muted">
          No agent has worked on this task yet. Start a run of its sprint.
        </p>
      ) : (
        <div className="grid gap-3">
          {jobs.map((job) => (
            <JobCard key={job.id} job={job} />
          ))}
        </div>
      )}
    </Section>
  );
}
