import type { OutputEntry } from "~/contract/job-output";
import type { Actor } from "~/db/rpc.server";
import { getJobOutput } from "~/domain/agent-jobs/operations.server";
import type { OutputPlace } from "./job-outputs";

/** Who missed more reads it again by pages. */
const mostEntries = 500;

/** What was said between the place of a reader who comes back and now. */
export interface MissedOutput {
  from: OutputPlace;
  to: OutputPlace;
  entries: readonly OutputEntry[];
}

/** Reads what a reader missed; undefined when it cannot be given whole: another attempt, too much, or let go meanwhile. */
export async function readMissedOutput(
  actor: Actor,
  jobId: string,
  from: OutputPlace,
): Promise<MissedOutput | undefined> {
  const { attempt, seq } = from;
  if (attempt === 0) return { from, to: from, entries: [] };
  const { entries, dropped, last_seq } = await getJobOutput(actor, {
    job_id: jobId,
    attempt,
    after: seq,
    limit: mostEntries,
  });
  const end = entries.at(-1)?.seq ?? seq;
  if (end !== last_seq || (dropped !== null && dropped.to > seq)) return undefined;
  return { from, to: { attempt, seq: end }, entries };
}
