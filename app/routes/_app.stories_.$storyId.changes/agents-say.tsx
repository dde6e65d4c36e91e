import { MarkList } from "~/features/review/review-facts";
import { AgentSays, GuideSummary } from "~/features/review/what-was-done";
import type { AgentJob } from "~/nouns/agent-jobs/contract";
import type { Marked } from "~/nouns/reviews/marks";

/** What was found about an attempt, and how its agent explains it. */
interface Said extends Marked {
  job_id: string;
  chapters: readonly { title: string; why: string }[] | null;
}

/** What the agents say of a task's part. */
export function AgentsSay({ jobs, says }: { jobs: readonly AgentJob[]; says: readonly Said[] }) {
  return jobs.map((job) => {
    const said = says.find(({ job_id }) => job_id === job.id);
    return (
      <AgentSays key={job.id} job={job} above={said ? <MarkList {...said} inFull /> : null}>
        {said ? <GuideSummary chapters={said.chapters} /> : null}
      </AgentSays>
    );
  });
}
