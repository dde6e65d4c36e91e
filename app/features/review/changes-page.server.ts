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

export interface Queue {
  /** Counted from 1; null for what is not in the queue. */
  position: number | null;
  total: number;
  /** Jobs: from the last on to the first, and back. */
  next: string | null;
  before: string | null;
}

/** The line of the first of these jobs in the queue of reviews, its place, and the jobs around it. */
export async function positionInQueue(actor: Actor, ...jobIds: readonly string[]) {
  const { reviews } = await listWaitingReviews(actor, { limit: 100 });
  const at = reviews.findIndex(({ job_id }) => jobIds.includes(job_id));
  const others = [...reviews.slice(at + 1), ...reviews.slice(0, Math.max(at, 0))]
    .map(({ job_id }) => job_id)
    .filter((id) => !jobIds.includes(id));
  const queue: Queue = {
    position: at < 0 ? null : at + 1,
    total: reviews.length,
    next: others[0] ?? null,
    before: others.at(-1) ?? null,
  };
  return { review: reviews[at] ?? null, queue };
}

/** Where to go after a verdict on these jobs, asked before it: to the review behind them, or to the empty queue. */
export async function nextPage(actor: Actor, ...jobIds: readonly string[]): Promise<string> {
  const { next } = (await positionInQueue(actor, ...jobIds)).queue;
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
