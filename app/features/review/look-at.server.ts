import { ContractError } from "~/contract/errors";
import type { Actor } from "~/db/rpc.server";
import { noteFirstLook } from "~/nouns/job-reviews/operations.server";

/** Notes that a person looks at the changes. Anyone who may not judge looks without a trace. */
export async function lookAt(actor: Actor, jobId: string): Promise<void> {
  try {
    await noteFirstLook(actor, { job_id: jobId });
  } catch (error) {
    if (!(error instanceof ContractError)) throw error;
  }
}
