import "~/wire/zod-words";
import { z } from "zod";
import type { Actor } from "~/db/rpc.server";
import { proposeFollowUp } from "~/nouns/intake/operations.server";
import { saveJobGuide } from "~/nouns/reviews/operations.server";
import type { ReportedJob } from "~/wire/agent-jobs/contract";
import { type DiffFile, type SaveJobDiffInput, saveJobDiffBody } from "~/wire/agent-jobs/job-diff";
import { type Hunk, parsePatch } from "~/wire/agent-jobs/patch";
import { ContractError } from "~/wire/errors";
import { followUpBody } from "~/wire/intake/contract";
import { isFoldedFile } from "~/wire/reviews/folded-files";
import { guideLimits, guideSchema } from "~/wire/reviews/guide";
import { readHeadNames, readName } from "./git-name";
import type { ReportAgentJobInput, reportWithDiffInput } from "./job-report";
import { reportAgentJob, saveJobDiff } from "./operations.server";

/** Stores the changes before the report, so that reviewers of the report find them. */
export async function reportWithDiff(
  actor: Actor,
  { diff, guide, follow_ups, ...report }: z.output<typeof reportWithDiffInput>,
): Promise<ReportedJob> {
  const { job_id, attempt, head_sha } = report;
  const { chapters: most, title, why } = guideLimits;
  const tooLong = `The guide cannot be kept: at most ${most} chapters, ${title} characters a title, ${why} a why. Correct what the issues name, or report without it.`;
  const chapters = guide && kept(guideSchema, guide, tooLong, () => ["guide"]);
  const unfit = "The follow-ups cannot be kept. Correct what the issues name, or report without them.";
  const proposals = kept(z.array(followUpBody), follow_ups ?? [], unfit, () => ["follow_ups"]);
  if (diff !== undefined) await saveJobDiff(actor, diffOf(report, diff));
  if (chapters && head_sha) await saveJobGuide(actor, { job_id, attempt, head_sha, chapters });
  const reported = await reportAgentJob(actor, report);
  for (const followUp of proposals) {
    // The report counts even if a proposal is refused.
    await proposeFollowUp(actor, { job_id, ...followUp }).catch((error: unknown) => {
      if (!(error instanceof ContractError)) throw error;
    });
  }
  return reported;
}

function diffOf(report: ReportAgentJobInput, diff: string): SaveJobDiffInput {
  const { job_id, attempt, base_sha, head_sha } = report;
  const given = { attempt, base_sha, head_sha, files: readPatch(diff) };
  const refused = "The diff cannot be kept as it is. Correct what the issues name, or report without it.";
  return { job_id, ...kept(saveJobDiffBody, given, refused, ([first]) => (first === "files" ? ["diff"] : [])) };
}

/** What fits a schema; 422 with its issues and where in the report they are. */
function kept<T>(schema: z.ZodType<T>, given: unknown, refused: string, from: (path: PropertyKey[]) => string[]): T {
  const parsed = schema.safeParse(given);
  if (parsed.success) return parsed.data;
  const issues = parsed.error.issues.map(({ path: at, message }) => ({
    path: [...from(at), ...at].join("."),
    message,
  }));
  throw new ContractError(422, refused, { issues });
}

/** Parses the output of `git diff` into files, for agents that have nothing else. Throws 422 for other text. */
export function readPatch(text: string): DiffFile[] {
  if (text.trim() === "") return [];
  if (!text.startsWith("diff --git ")) throw refusal("must begin with a line diff --git.");
  const files: DiffFile[] = [];
  for (const section of text.split(/(?<=\n)(?=diff --git )/)) addFile(files, readFile(section));
  return files;
}

/** A file that became a link, or the reverse, has two sections: the old one removed and the new one added. */
function addFile(files: DiffFile[], file: DiffFile): void {
  const last = files.at(-1);
  if (last?.path !== file.path) {
    files.push(file);
    return;
  }
  last.status = "type_changed";
  last.additions += file.additions;
  last.deletions += file.deletions;
  last.patch = `${last.patch ?? ""}${file.patch ?? ""}`;
}

function readFile(patch: string): DiffFile {
  const { headers, hunks } = parsePatch(patch);
  const [head = "", ...lines] = headers[0] ?? [];
  const after = (prefix: string) => lines.find((line) => line.startsWith(prefix))?.slice(prefix.length);
  const oldPath = after("rename from ") ?? after("copy from ");
  const path = after("rename to ") ?? after("copy to ");
  const sides = [pathOf(after("+++ ")), pathOf(after("--- ")), headPath(head)];
  const name = path === undefined ? sides.find((side) => side !== null) : readName(path);
  if (!name) throw refusal(`has a file without a name: ${head.slice(0, 200)}`);
  const status = statusOf(lines);
  return {
    path: name,
    ...(oldPath === undefined ? {} : { old_path: readName(oldPath) }),
    status,
    ...counts(hunks),
    binary: lines.some((line) => /^(?:GIT binary patch$|Binary files .* differ$)/.test(line)),
    ...(isFoldedFile(name) ? { folded: true } : {}),
    ...(status === "submodule" || lines.some(isUnseen) ? {} : { patch }),
  };
}

/** A binary file without its bytes: listed, but not shown. */
const isUnseen = (line: string): boolean => /^Binary files .* differ$/.test(line);

function statusOf(lines: readonly string[]): DiffFile["status"] {
  const has = (form: RegExp) => lines.some((line) => form.test(line));
  if (has(/^(?:(?:new|old|deleted)(?: file)? mode|index .*) 160000$/)) return "submodule";
  if (has(/^new file mode /)) return "added";
  if (has(/^deleted file mode /)) return "deleted";
  if (has(/^rename from /)) return "renamed";
  return has(/^copy from /) ? "copied" : "modified";
}

function counts(hunks: readonly Hunk[]): Pick<DiffFile, "additions" | "deletions"> {
  const lines = hunks.flatMap((hunk) => hunk.lines);
  return {
    additions: lines.filter(({ kind }) => kind === "added").length,
    deletions: lines.filter(({ kind }) => kind === "deleted").length,
  };
}

/** Path of a `---` or `+++` line. Git ends names that contain spaces with a tab, and writes /dev/null for none. */
function pathOf(written: string | undefined): string | null {
  if (written === undefined) return null;
  const name = readName(written.replace(/\t$/, ""));
  return name === "/dev/null" ? null : withoutSide(name);
}

function headPath(head: string): string | null {
  const names = readHeadNames(head);
  return names === null ? null : withoutSide(names[1]);
}

function withoutSide(name: string): string {
  if (!/^[ab]\//.test(name)) {
    throw refusal("must have the names a/… and b/… (git diff --src-prefix=a/ --dst-prefix=b/).");
  }
  return name.slice(2);
}

function refusal(sentence: string): ContractError {
  const message = `The diff ${sentence} Send what git diff prints.`;
  return new ContractError(422, message, { issues: [{ path: "diff", message }] });
}
