import type { Actor } from "~/db/rpc.server";
import type { JobDiff } from "~/nouns/agent-jobs/job-diff";
import { chaptersOf, guideSchema } from "./guide";
import { getJobGuide } from "./operations.server";

/** The chapters of an attempt's changes. */
export async function readGuide(
  actor: Actor,
  { job_id, attempt, head_sha, files }: Pick<JobDiff, "job_id" | "attempt" | "head_sha" | "files">,
) {
  const found = await getJobGuide(actor, { job_id, attempt });
  const told = guideSchema.safeParse(found?.head_sha === head_sha ? found.chapters : null);
  const guide = told.success && told.data.length > 0 ? told.data : null;
  return {
    ...{ attempt, head_sha, source: guide === null ? ("order" as const) : ("agent" as const) },
    chapters: chaptersOf(files, guide, { proof: found?.proof ?? "", tests: found?.tests ?? [] }),
  };
}
