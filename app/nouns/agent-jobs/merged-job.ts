import { z } from "zod";
import { idSchema, text } from "~/contract/text";
import { released } from "~/nouns/dependencies/contract";

/** Body of `POST /api/jobs/:id/merged`: the commit found on the main branch. */
export const reportMergedBody = z.object({ head_sha: text(64).min(1) });

/** The owner may also report a merge that no worker can see, with or without its commit. */
export const reportMergedInput = reportMergedBody.partial().extend({ job_id: idSchema });

export const mergedJobSchema = z.object({
  job_id: z.string(),
  merged_at: z.string(),
  ...released,
});
