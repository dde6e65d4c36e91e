import { z } from "zod";
import type { Actor } from "~/db/rpc.server";
import { listWaitingReviews, markViewed, noteFirstLook } from "~/nouns/reviews/operations.server";
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

/** The line of the first of these jobs in the queue of reviews, and the job behind it, from the last on to the first. */
export async function positionInQueue(actor: Actor, ...jobIds: readonly string[]) {
  const { reviews } = await listWaitingReviews(actor, { limit: 100 });
  const at = reviews.findIndex(({ job_id }) => jobIds.includes(job_id));
  const behind = [...reviews.slice(at + 1), ...reviews.slice(0, Math.max(at, 0))];
  return { review: reviews[at] ?? null, next: behind.find(({ job_id }) => !jobIds.includes(job_id))?.job_id ?? null };
}

/** Where to go after a verdict on these jobs, asked before it: to the review behind them, or to the empty queue. */
export async function nextPage(actor: Actor, ...jobIds: readonly string[]): Promise<string> {
  const { next } = await positionInQueue(actor, ...jobIds);
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
