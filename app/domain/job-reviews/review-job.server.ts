import { type ReviewJobInput, type SentReview, sentReviewSchema } from "~/contract/job-review";
import { type Actor, callAs } from "~/db/rpc.server";

/** One round of a review: a verdict, words, and every comment that was collected. */
export function reviewJob(
  actor: Actor,
  { job_id, verdict, summary }: ReviewJobInput,
): Promise<SentReview> {
  const given = { p_job_id: job_id, p_verdict: verdict, p_summary: summary };
  return callAs(actor, "review_job", given, sentReviewSchema);
}
