import { ActionForm } from "~/components/action-form";
import { Button } from "~/components/button";
import { Section } from "~/components/card";
import { TextAreaField } from "~/components/field";
import { countText } from "~/components/numbers";
import { RelativeTime } from "~/components/relative-time";
import { WriteFields } from "~/components/write-access";
import type { AgentJobDetail } from "~/contract/agent-job";
import type { JobComment, JobComments } from "~/contract/job-review";
import { LineComment } from "./line-comment";
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
  const waits = job.status === "queued" && job.phase === "review";
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
        {reviews.length > 0 ? (
          <ol className="grid gap-2 text-sm">
            {reviews.map((review) => (
              <li key={review.id}>
                <strong className="font-medium">{review.author}</strong>{" "}
                {verdictWords[review.verdict]} attempt {review.attempt},{" "}
                <RelativeTime at={review.created_at} />
                {review.summary ? (
                  <p className="break-words whitespace-pre-wrap text-muted">{review.summary}</p>
                ) : null}
              </li>
            ))}
          </ol>
        ) : null}
        {lost.map((comment) => (
          <div key={comment.id}>
            <p className="font-mono text-xs break-all text-muted">{comment.path}</p>
            <LineComment comment={comment} />
          </div>
        ))}
        <p className="text-sm" role="status">
          {drafts > 0 ? `${countText(drafts, "comment")} not sent yet.` : null} {reason}
        </p>
        {reason === null ? (
          <ActionForm aria-label="Review" className="grid gap-3">
            <WriteFields>
              <input type="hidden" name="intent" value="review" />
              <TextAreaField id="review-summary" name="summary" label="Summary" rows={3} />
              <div className="flex flex-wrap gap-2 max-sm:grid">
                <Button
                  type="submit"
                  name="verdict"
                  value="approve"
                  tone="primary"
                  className="max-sm:h-12"
                >
                  Approve
                </Button>
                <Button
                  type="submit"
                  name="verdict"
                  value="request_changes"
                  className="max-sm:h-12"
                >
                  Request changes
                </Button>
              </div>
            </WriteFields>
          </ActionForm>
        ) : null}
      </div>
    </Section>
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
