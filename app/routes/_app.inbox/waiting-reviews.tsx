import { Link } from "@remix-run/react";
import { ReviewFacts } from "~/features/review/review-facts";
import { CodeChip } from "~/ui/badge";
import { ButtonLink } from "~/ui/button";
import { isolated } from "~/ui/isolated";
import type { WaitingReview } from "~/wire/reviews/contract";

/** Agents' work that waits for a verdict, the one that frees most first. Nothing is approved from here. */
export function WaitingReviews({ reviews, next }: { reviews: readonly WaitingReview[]; next: string | null }) {
  return (
    <div className="grid gap-4">
      <ol className="grid gap-4">
        {reviews.map((review) => (
          <li key={review.job_id}>
            <article
              aria-label={`Review of ${review.task.code}`}
              data-waiting
              tabIndex={-1}
              className="grid gap-2 rounded-lg border border-line bg-surface p-4"
            >
              <p className="flex flex-wrap items-baseline gap-x-2 text-base">
                <CodeChip>{review.task.code}</CodeChip>
                <Link to={`/jobs/${review.job_id}/changes`} data-row className="min-w-0 font-medium hover:underline">
                  {review.task.title}
                </Link>
              </p>
              <p className="text-sm text-muted">
                <bdi>{review.product.name}</bdi> · {review.story.code} {isolated(review.story.title)}
              </p>
              <ReviewFacts review={review} />
            </article>
          </li>
        ))}
      </ol>
      {next === null ? null : (
        <ButtonLink to={`/inbox?show=reviews&after=${next}`} className="justify-self-center">
          More reviews
        </ButtonLink>
      )}
    </div>
  );
}
