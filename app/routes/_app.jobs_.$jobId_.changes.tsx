import { judge } from "~/features/review/judge.server";
import { readReview } from "~/features/review/read-review.server";
import { personLoader, writeAction } from "~/http/page-guards.server";

export { ReviewPage as default, reviewMeta as meta } from "~/features/review/review-page";
export { RouteError as ErrorBoundary } from "~/ui/error-page";

// More than one call: the first look at a change is written.
export const loader = personLoader(readReview);

export const action = writeAction(judge);
