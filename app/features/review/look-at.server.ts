import { ContractError } from "~/contract/errors";
import type { Actor } from "~/db/rpc.server";
import { noteFirstLook } from "~/nouns/reviews/operations.server";

/**
 * Notes that a person looks at the changes. Anyone who may not judge looks without a trace, and so does a browser that asks
 * for the headers only, or loads the page before anyone opens it.
 */
export async function lookAt(
  { method, headers }: Request,
  actor: Actor,
  jobId: string,
): Promise<void> {
  if (method !== "GET" || headers.get("sec-purpose")?.startsWith("prefetch")) return;
  try {
    await noteFirstLook(actor, { job_id: jobId });
  } catch (error) {
    if (!(error instanceof ContractError)) throw error;
  }
}
