import { z } from "zod";
import type { SaveJobDiffInput } from "~/contract/job-diff";
import { type Actor, callAs } from "~/db/rpc.server";

/** Keeps what an attempt has changed; sent again it replaces what was there. */
export async function saveJobDiff(
  actor: Actor,
  { job_id, attempt, ...diff }: SaveJobDiffInput,
): Promise<void> {
  const given = { p_job_id: job_id, p_attempt: attempt, p_diff: diff };
  await callAs(actor, "save_job_diff", given, z.null());
}
