import { z } from "zod";
import * as wire from "~/wire/agent-jobs/contract";
import { diffLimits } from "~/wire/agent-jobs/job-diff";
import { readReferences } from "~/wire/agent-jobs/job-output";
import { proposedLessons } from "~/wire/lessons/contract";
import { lengths } from "~/wire/limits";
import { reportedEvidenceInput } from "~/wire/proof/contract";
import { httpUrlSchema, text } from "~/wire/text";
import { agentName } from "~/wire/who";

export const reportAgentJobInput = wire.attemptInput.extend({
  status: z.enum(["running", "done", "failed", "skipped", "queued"]),
  verify_result: wire.verifyResultInput,
  summary: text(20000).optional(),
  failure_class: z.enum(wire.failureClasses).optional(),
  failure_reason: text(4000).optional(),
  resets_at: z.iso.datetime({ offset: true }).optional().describe("2026-01-31T12:00:00Z"),
  base_sha: wire.sha,
  head_sha: wire.sha,
  branch: text(200).optional(),
  pushed_at: z.iso.datetime({ offset: true }).optional(),
  pr_url: httpUrlSchema.optional(),
  session_id: text(300).optional(),
  kept_ref: text(300).optional(),
  agent: agentName.optional(),
  evidence: z.array(reportedEvidenceInput).max(200).optional(),
  implementation_plan: text(lengths.text).optional(),
  lessons: proposedLessons.optional(),
  references: readReferences.optional(),
  ...wire.usageInput,
});
export type ReportAgentJobInput = z.infer<typeof reportAgentJobInput>;

/** Report of an agent without Backloom's worker: sends the raw `git diff`, which the worker would have parsed. */
export const reportWithDiffInput = reportAgentJobInput
  .extend({
    diff: text(diffLimits.fileBytes).optional().describe("git diff base_sha head_sha"),
    guide: z.array(z.unknown()).optional().describe("[{title, why, parts: [{path, from, to}]}]"),
    follow_ups: z.array(z.unknown()).max(5).optional().describe("[{repository, title, why}]"),
  })
  .refine(({ diff, base_sha, head_sha }) => diff === undefined || (base_sha && head_sha), {
    path: ["diff"],
    message: "Send base_sha and head_sha with a diff: the commits before and after it.",
  })
  .refine(({ guide = [], head_sha }) => guide.length === 0 || head_sha, {
    path: ["guide"],
    message: "Send head_sha with a guide: the commit that it describes.",
  });

export const reportJobUsageInput = wire.attemptInput
  .extend({ ...wire.usageInput, events: z.array(wire.usageEventInput).min(1).max(200).optional() })
  .strict();
