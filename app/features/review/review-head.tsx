import type { ReactNode } from "react";
import { LineCounts } from "~/features/diff/line-counts";
import { Fold } from "~/ui/fold";
import { countText } from "~/ui/numbers";
import { RelativeTime } from "~/ui/relative-time";
import type { ProvenCriterion } from "~/wire/proof/contract";
import type { Marked } from "~/wire/reviews/marks";
import { MarkList } from "./mark-list";
import type { Queue } from "./review-bar";
import { type SameFile, SameFiles } from "./review-facts";
import { CriterionProof, isMet, provenText } from "./what-was-done";

/** One line of facts before the code; each unfolds. `children` choose what of the changes is shown. */
export function ReviewHead(props: {
  queue: Queue;
  /** Null before anything has changed. */
  size: { files: number; additions: number; deletions: number } | null;
  criteria: readonly ProvenCriterion[];
  marked: readonly Marked[];
  /** Where a mark leads on the page. */
  linkTo: (place: Marked) => string | null;
  sameFiles: readonly SameFile[];
  /** What agents say, and what the work took. */
  details: ReactNode;
  children?: ReactNode;
}) {
  const { queue, size, criteria, marked, linkTo, sameFiles, details, children } = props;
  const met = criteria.filter(isMet).length;
  const { frees_tasks: frees, waiting_since } = queue;
  return (
    <div className="flex flex-wrap items-baseline gap-x-3 gap-y-1 text-sm">
      {criteria.length === 0 ? null : (
        <Fold
          id="criteria"
          label={
            <span className={met < criteria.length ? "font-medium text-waiting" : undefined}>
              {provenText(criteria)}
            </span>
          }
        >
          {criteria.map((criterion) => (
            <CriterionProof key={criterion.id} criterion={criterion} />
          ))}
        </Fold>
      )}
      {size === null ? null : (
        <span>
          {countText(size.files, "file")} <LineCounts {...size} />
        </span>
      )}
      <MarkList marked={marked} linkTo={linkTo} />
      {frees > 0 ? <strong className="font-medium">{`Frees ${countText(frees, "task")}`}</strong> : null}
      {children}
      {sameFiles.length === 0 ? null : (
        <Fold label={`${countText(sameFiles.length, "other review changes", "other reviews change")} these files`}>
          <SameFiles others={sameFiles} />
        </Fold>
      )}
      <Fold id="details" label="Details">
        {waiting_since === null ? null : (
          <p className="text-xs text-muted">
            Done <RelativeTime at={waiting_since} />
          </p>
        )}
        <MarkList marked={marked} linkTo={linkTo} inFull />
        {details}
      </Fold>
    </div>
  );
}
