import "~/contract/zod-words";
import type { z } from "zod";
import { ContractError } from "~/contract/errors";
import type { Actor } from "~/db/rpc.server";
import { guideLimits, guideSchema } from "~/nouns/job-reviews/guide";
import { saveJobGuide } from "~/nouns/job-reviews/operations.server";
import type { ReportedJob } from "./contract";
import { type SaveJobDiffInput, saveJobDiffBody } from "./job-diff";
import type { ReportAgentJobInput, reportWithDiffInput } from "./job-report";
import { reportAgentJob, saveJobDiff } from "./operations.server";
import { readPatch } from "./read-patch";

/** Stores the changes before the report, so that reviewers of the report find them. */
export async function reportWithDiff(
  actor: Actor,
  { diff, guide, ...report }: z.output<typeof reportWithDiffInput>,
): Promise<ReportedJob> {
  const { job_id, attempt, head_sha } = report;
  const chapters = guide && guideOf(guide);
  if (diff !== undefined) await saveJobDiff(actor, diffOf(report, diff));
  if (chapters && head_sha) await saveJobGuide(actor, { job_id, attempt, head_sha, chapters });
  return reportAgentJob(actor, report);
}

function guideOf(guide: unknown) {
  const parsed = guideSchema.safeParse(guide);
  if (parsed.success) return parsed.data;
  const issues = parsed.error.issues.map(({ path, message }) => ({
    path: ["guide", ...path].join("."),
    message,
  }));
  const { chapters, title, why } = guideLimits;
  throw new ContractError(
    422,
    `The guide cannot be kept: at most ${chapters} chapters, ${title} characters a title, ${why} a why. Correct what the issues name, or report without it.`,
    { issues },
  );
}

function diffOf(report: ReportAgentJobInput, diff: string): SaveJobDiffInput {
  const { job_id, attempt, base_sha, head_sha } = report;
  const files = readPatch(diff);
  const parsed = saveJobDiffBody.safeParse({ attempt, base_sha, head_sha, files });
  if (parsed.success) return { job_id, ...parsed.data };
  const issues = parsed.error.issues.map(({ path, message }) => ({
    path: path[0] === "files" ? ["diff", ...path].join(".") : path.join("."),
    message,
  }));
  throw new ContractError(
    422,
    "The diff cannot be kept as it is. Correct what the issues name, or report without it.",
    { issues },
  );
}
