import { Link } from "@remix-run/react";
import type { z } from "zod";
import { LineCounts } from "~/features/diff/line-counts";
import { visible } from "~/features/proof/visible";
import { LiveText } from "~/ui/live-text";
import { countText } from "~/ui/numbers";
import { RelativeTime } from "~/ui/relative-time";
import type { sameFilesSchema, WaitingReview } from "~/wire/reviews/contract";
import { MarkList, markedOf, pathsText } from "./mark-list";

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
      <MarkList marked={markedOf(review)} />
    </div>
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
          waits too and changes <bdi className="font-mono wrap-anywhere">{pathsText(paths.map(visible))}</bdi>
        </li>
      ))}
    </ul>
  );
}
