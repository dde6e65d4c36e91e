import { Link } from "@remix-run/react";
import type { z } from "zod";
import { LineCounts } from "~/features/diff/line-counts";
import { visible } from "~/features/proof/visible";
import { Badge } from "~/ui/badge";
import { LiveText } from "~/ui/live-text";
import { countText } from "~/ui/numbers";
import { RelativeTime } from "~/ui/relative-time";
import type { sameFilesSchema, WaitingReview } from "~/wire/reviews/contract";
import { type Marked, markWords } from "~/wire/reviews/marks";

/** Why a change is where it is in the queue, and where it needs a careful look. */
export function ReviewFacts({ review }: { review: WaitingReview }) {
  const { frees, size, criteria, waiting_since } = review;
  return (
    <div className="grid gap-1.5 text-sm text-muted">
      <p className="flex flex-wrap gap-x-3 gap-y-0.5">
        {frees.tasks > 0 ? (
          <strong className="font-medium text-ink">{`Approving frees ${countText(frees.tasks, "task")}`}</strong>
        ) : null}
        <span>
          Done <RelativeTime at={waiting_since} />
        </span>
        <span>
          <LiveText>{countText(size.files, "file")}</LiveText> <LineCounts {...size} />
        </span>
        {criteria.total > 0 ? (
          <span>{`${criteria.proven} of ${countText(criteria.total, "criterion", "criteria")} proven`}</span>
        ) : null}
      </p>
      <MarkList {...review} />
    </div>
  );
}

/** Where a change needs a careful look, and in which files. */
export function MarkList({ marks, mark_paths, inFull }: Marked & { inFull?: boolean | undefined }) {
  if (marks.length === 0) return null;
  return (
    <ul aria-label="Look closely" className="flex flex-wrap gap-x-3 gap-y-1.5 text-muted">
      {marks.map((mark) => {
        const { label, advice } = markWords[mark];
        const paths = pathsText(mark_paths[mark] ?? []);
        return (
          <li key={mark} title={`${advice} ${paths}`.trim()} className="min-w-0">
            <Badge>{label}</Badge>{" "}
            <span className={inFull ? "text-xs" : "sr-only"}>
              {advice} <bdi className="font-mono wrap-anywhere">{paths}</bdi>
            </span>
          </li>
        );
      })}
    </ul>
  );
}

export type SameFile = z.infer<typeof sameFilesSchema>[number];

/** Other work that waits and changes the same files: who approves both merges both. */
export function SameFiles({ others }: { others: readonly SameFile[] }) {
  return (
    <ul aria-label="Also changed by" className="grid gap-1 text-xs text-muted">
      {others.map(({ job_id, code, paths }) => (
        <li key={job_id}>
          <Link to={`/jobs/${job_id}/changes`} className="text-accent underline">
            {code}
          </Link>{" "}
          waits too and changes <bdi className="font-mono wrap-anywhere">{pathsText(paths)}</bdi>
        </li>
      ))}
    </ul>
  );
}

/** The service names up to four files: the fourth says that there are more. */
function pathsText(paths: readonly string[]): string {
  const shown = paths.slice(0, 3).map(visible).join(", ");
  return paths.length > 3 ? `${shown} and others` : shown;
}
