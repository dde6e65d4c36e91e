import { Link } from "@remix-run/react";
import type { ReviewedJob } from "~/contract/sprint-review";
import { LineCounts } from "~/features/diff/line-counts";

/** "+120 −8" of all these jobs, and a link to the changes of each. */
export function Changes({
  jobs,
  sumOnly = false,
}: {
  jobs: readonly ReviewedJob[];
  sumOnly?: boolean;
}) {
  const changed = jobs.filter(({ additions }) => additions !== null);
  if (changed.length === 0) return <>No data</>;
  return (
    <span className="inline-flex flex-wrap items-center gap-x-3 gap-y-1">
      <LineCounts
        additions={sum(changed.map(({ additions }) => additions))}
        deletions={sum(changed.map(({ deletions }) => deletions))}
      />
      {sumOnly
        ? null
        : changed.map(({ id, task_code: code }) => (
            <Link
              key={id}
              to={`/jobs/${id}/changes`}
              className="text-xs text-accent underline underline-offset-2"
            >
              Changes of {code ?? "the job"}
            </Link>
          ))}
    </span>
  );
}

const sum = (counts: readonly (number | null)[]) =>
  counts.reduce<number>((all, count) => all + (count ?? 0), 0);
