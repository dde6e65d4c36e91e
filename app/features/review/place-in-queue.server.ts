import type { Actor } from "~/db/rpc.server";
import { listReviews } from "~/nouns/reviews/operations.server";

/** The job's line of the queue of reviews, and the job to judge after it. */
export async function placeInQueue(actor: Actor, jobId: string) {
  const { reviews } = await listReviews(actor, { limit: 100 });
  return {
    review: reviews.find(({ job_id }) => job_id === jobId) ?? null,
    next: reviews.find(({ job_id }) => job_id !== jobId)?.job_id ?? null,
  };
}

/** Where to go after a verdict: to the next review, or to the empty queue. */
export async function nextPlace(actor: Actor, jobId: string): Promise<string> {
  const { next } = await placeInQueue(actor, jobId);
  return next === null ? "/inbox?show=reviews" : `/jobs/${next}/changes`;
}
