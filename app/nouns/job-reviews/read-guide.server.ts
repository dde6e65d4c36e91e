import type { Actor } from "~/db/rpc.server";
import { chaptersOf, guideSchema } from "./guide";
import { getJobGuide } from "./operations.server";

/** The chapters of an attempt's changes; null without changes. */
export async function readGuide(
  actor: Actor,
  of: { job_id: string; attempt?: number | undefined },
) {
  const found = await getJobGuide(actor, of);
  if (found === null) return null;
  const { attempt, head_sha, files, tests, chapters, proof } = found;
  const told = guideSchema.safeParse(chapters);
  const guide = told.success ? told.data : null;
  return {
    ...{ attempt, head_sha, source: guide === null ? ("order" as const) : ("agent" as const) },
    chapters: chaptersOf(files, guide, { proof: proof ?? "", tests }),
  };
}
