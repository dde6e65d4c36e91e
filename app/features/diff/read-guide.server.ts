import { z } from "zod";
import type { Actor } from "~/db/rpc.server";
import { getJobGuide } from "~/nouns/reviews/operations.server";
import type { JobDiff } from "~/wire/agent-jobs/job-diff";
import type { guideSourceSchema } from "~/wire/reviews/contract";
import { chapterSchema, guideSchema } from "~/wire/reviews/guide";
import { madeInThread } from "./show-lines.server";

/** The chapters of an attempt's changes. */
export async function readGuide(actor: Actor, diff: JobDiff, viewer: string) {
  return guideOf(diff, await getJobGuide(actor, { job_id: diff.job_id, attempt: diff.attempt }), viewer);
}

/** The same of what is known of it. */
export async function guideOf(
  { attempt, head_sha, files }: JobDiff,
  found: z.infer<typeof guideSourceSchema> | null,
  viewer: string,
) {
  const chapters = guideSchema.safeParse(found?.head_sha === head_sha ? found.chapters : null);
  const guide = chapters.success && chapters.data.length > 0 ? chapters.data : null;
  const { proof, tests = [], criteria = [] } = found ?? {};
  const clues = { proof: proof ?? "", tests, criteria };
  const made = await madeInThread({ guide: { files, guide, clues } }, viewer);
  return {
    attempt,
    head_sha,
    source: guide === null ? ("order" as const) : ("agent" as const),
    chapters: z.array(chapterSchema).parse(JSON.parse(made)),
  };
}
