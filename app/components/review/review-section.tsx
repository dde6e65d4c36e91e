import { Section } from "~/components/card";
import { countText } from "~/components/numbers";
import { RelativeTime } from "~/components/relative-time";
import type { AgentJobDetail } from "~/contract/agent-job";
import type { JobComment, JobComments } from "~/contract/job-review";
import { waitsForReview } from "../jobs/job-status";
import { LineComment } from "./line-comment";
import { ReviewForm } from "./review-form";
import { verdictWords } from "./verdict-words";

/** What was said of the work in earlier rounds, and the next one. */
export function ReviewSection({
  job,
  reviews,
  drafts,
  lost,
}: {
  job: AgentJobDetail;
  reviews: JobComments["reviews"];
  drafts: number;
  /** Comments on files that are no longer among the changes. */
  lost: readonly JobComment[];
}) {
  const waits = waitsForReview(job);
  const reason = reasonAgainst(job, waits, reviews);
  return (
    <Section
      id="review"
      title="Review"
      about={
        waits
          ? "The work is done and waits for a person."
          : "Comments are sent with the review, all at once."
      }
    >
      <div className="grid gap-4">
        <EarlierReviews reviews={reviews} />
        {lost.map((comment) => (
          <div key={comment.id}>
            <p className="font-mono text-xs break-all text-muted">{comment.path}</p>
            <LineComment comment={comment} />
          </div>
        ))}
        <p className="text-sm" role="status">
          {drafts > 0 ? `${countText(drafts, "comment")} not sent yet.` : null} {reason}
        </p>
        <ReviewForm isOpen={reason === null} />
      </div>
    </Section>
  );
}

function EarlierReviews({ reviews }: { reviews: JobComments["reviews"] }) {
  if (reviews.length === 0) return null;
  return (
    <ol className="grid gap-2 text-sm">
      {reviews.map((review) => (
        <li key={review.id}>
          <strong className="font-medium">{review.author}</strong> {verdictWords[review.verdict]}{" "}
          attempt {review.attempt}, <RelativeTime at={review.created_at} />
          {review.summary ? (
            <p className="break-words whitespace-pre-wrap text-muted">{review.summary}</p>
          ) : null}
        </li>
      ))}
    </ol>
  );
}

/** Why nothing can be said now; null when a review can be sent. */
function reasonAgainst(
  job: AgentJobDetail,
  waits: boolean,
  reviews: JobComments["reviews"],
): string | null {
  const last = reviews.at(-1);
  if (last?.attempt === job.attempt) return "This attempt is judged.";
  if (waits || job.finished_at !== null) return null;
  return job.status === "queued"
    ? "The job waits to be worked on."
    : "A worker is at it. A review can be sent when its attempt has ended.";
}
