import { LineCounts } from "~/features/diff/line-counts";
import type { WaitingReview } from "~/nouns/job-reviews/contract";
import { markWords } from "~/nouns/job-reviews/marks";
import { Badge } from "~/ui/badge";
import { countText } from "~/ui/numbers";
import { RelativeTime } from "~/ui/relative-time";

/** Why a change is where it is in the queue, and where it needs a careful look; `inFull` next to the change. */
export function ReviewFacts({ review, inFull }: { review: WaitingReview; inFull?: boolean }) {
  const { frees, size, criteria, marks, waiting_since } = review;
  return (
    <div className="grid gap-1.5 text-sm text-muted">
      <p className="flex flex-wrap gap-x-3 gap-y-0.5">
        {frees.tasks > 0 ? (
          <strong className="font-medium text-ink">
            {`Approving frees ${countText(frees.tasks, "task")}`}
          </strong>
        ) : null}
        <span>
          Done <RelativeTime at={waiting_since} />
        </span>
        {inFull ? null : (
          <span>
            {countText(size.files, "file")} <LineCounts {...size} />
          </span>
        )}
        {criteria.total > 0 ? (
          <span>
            {`${criteria.proven} of ${countText(criteria.total, "criterion", "criteria")} proven`}
          </span>
        ) : null}
      </p>
      {marks.length > 0 ? (
        <ul aria-label="Look closely" className="flex flex-wrap gap-x-3 gap-y-1.5">
          {marks.map((mark) => (
            <li key={mark} title={markWords[mark].advice}>
              <Badge>{markWords[mark].label}</Badge>{" "}
              <span className={inFull ? "text-xs" : "sr-only"}>{markWords[mark].advice}</span>
            </li>
          ))}
        </ul>
      ) : null}
    </div>
  );
}
