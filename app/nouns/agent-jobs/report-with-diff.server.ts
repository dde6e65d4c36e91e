import type { z } from "zod";
import { ContractError } from "~/contract/errors";
import type { Actor } from "~/db/rpc.server";
import type { ReportedJob } from "./contract";
import { type SaveJobDiffInput, saveJobDiffBody } from "./job-diff";
import type { ReportAgentJobInput, reportWithDiffInput } from "./job-report";
import { reportAgentJob, saveJobDiff } from "./operations.server";
import { readPatch } from "./read-patch";

/** Stores the changes before the report, so that reviewers of the report find them. */
export async function reportWithDiff(
  actor: Actor,
  { diff, ...report }: z.output<typeof reportWithDiffInput>,
): Promise<ReportedJob> {
  if (diff !== undefined) await saveJobDiff(actor, diffOf(report, diff));
  return reportAgentJob(actor, report);
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
