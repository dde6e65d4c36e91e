import { z } from "zod";
import type { Actor } from "~/db/rpc.server";
import { listReviews, markViewed, noteFirstLook } from "~/nouns/reviews/operations.server";
import { ContractError } from "~/wire/errors";
import { markViewedInput } from "~/wire/reviews/contract";

/**
 * Notes that a person looks at the changes. Anyone who may not judge looks without a trace, and so does a browser that asks
 * for the headers only, or loads the page before anyone opens it.
 */
export async function noteLookAt({ method, headers }: Request, actor: Actor, jobId: string): Promise<void> {
  if (method !== "GET" || headers.get("sec-purpose")?.startsWith("prefetch")) return;
  try {
    await noteFirstLook(actor, { job_id: jobId });
  } catch (error) {
    if (!(error instanceof ContractError)) throw error;
  }
}

/** The job's line of the queue of reviews, and the job to judge after it. */
export async function positionInQueue(actor: Actor, jobId: string) {
  const { reviews } = await listReviews(actor, { limit: 100 });
  return {
    review: reviews.find(({ job_id }) => job_id === jobId) ?? null,
    next: reviews.find(({ job_id }) => job_id !== jobId)?.job_id ?? null,
  };
}

/** Where to go after a verdict: to the next review, or to the empty queue. */
export async function nextPage(actor: Actor, jobId: string): Promise<string> {
  const { next } = await positionInQueue(actor, jobId);
  return next === null ? "/inbox?show=reviews" : `/jobs/${next}/changes`;
}

const marksSchema = z
  .array(markViewedInput.omit({ viewed: true }))
  .min(1)
  .max(200);

/** Marks what the form of a file is for, on a page without script. */
export async function markAll(actor: Actor, form: FormData): Promise<void> {
  const marks = marksSchema.safeParse(form.getAll("mark").map(parsed));
  if (!marks.success) throw new ContractError(422, "Nothing to mark was sent. Reload the page.");
  const viewed = form.get("viewed") === "true";
  for (const mark of marks.data) await markViewed(actor, { ...mark, viewed });
}

function parsed(entry: FormDataEntryValue): unknown {
  try {
    return JSON.parse(String(entry));
  } catch {
    return null;
  }
}
