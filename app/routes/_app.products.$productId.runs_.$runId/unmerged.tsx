import { PullLink } from "~/features/jobs/pull-link";
import { MergeLine } from "~/features/runs/start-over";
import type { SprintRunDetail } from "~/nouns/sprint-runs/contract";
import { Alert } from "~/ui/alert";

/** What an ended run has left to do for people: its branches, as far as no merge of them is known. */
export function Unmerged({ run }: { run: SprintRunDetail }) {
  const work = run.jobs.filter(
    ({ status, head_sha, merged_at }) =>
      status === "done" && head_sha !== null && merged_at === null,
  );
  const branches = new Map(work.map(({ branch, pull }) => [branch, pull]));
  if (run.finished_at === null || branches.size === 0) return null;
  return (
    <Alert tone="waiting" title="Not on main yet">
      <ul className="grid gap-1">
        {[...branches].map(([branch, pull]) => (
          <li key={branch} className="flex flex-wrap items-center gap-x-2">
            <MergeLine branch={branch ?? run.branch} />
            {pull ? <PullLink pull={pull} /> : null}
          </li>
        ))}
      </ul>
    </Alert>
  );
}
