import { z } from "zod";
import type { VerifyResult } from "~/wire/agent-jobs/contract";
import type { verifyRequirements } from "~/wire/tasks/contract";
import { sendable, sendableEnd } from "../../base/sendable";
import { git, gitPaths } from "../../git/git";
import type { Worktree } from "../../git/worktree";
import type { Attempt, Failure, Workspace } from "../attempt";
import { type CommandEnd, type Outcome, runShown } from "../commands";
import type { Assignment } from "../turn/assignment";
import type { CommandResult } from "../turn/result-file";

type Requirement = (typeof verifyRequirements)[number];

export interface Inspection {
  evidence: Evidence;
  /** False if there is neither a verdict nor a test. */
  isSeen: boolean;
  failure: Failure | undefined;
}

export interface InspectionOptions {
  assignment: Assignment;
  outcome: Outcome;
  since: string;
  head: string;
  required: Requirement;
}

/** A verify-only task delivers nothing: its changes are kept and undone. */
export async function undoChanges(
  { keeper, journal }: Attempt,
  { folder }: Workspace,
  { assignment, head }: InspectionOptions,
): Promise<void> {
  if (!assignment.verifyOnly) return;
  const kept = await keeper.keepBeforeReset();
  if (kept !== null) journal.say(`The task should change nothing; its changes are kept on ${kept}`);
  await git(folder, "reset", "--quiet", "--hard", head);
}

/** Examines a task's work. In a verify-only task, the command's verdict or the test counts. */
export async function inspect(attempt: Attempt, workspace: Workspace, options: InspectionOptions): Promise<Inspection> {
  const { assignment, outcome, since, head, required } = options;
  if (!assignment.verifyOnly) {
    const evidence = await examine(attempt, workspace, outcome, since);
    return { evidence, isSeen: true, failure: undefined };
  }
  const evidence = await examine(attempt, workspace, outcome, head);
  const verdict = outcome.result.verify_result;
  const test = testOf(evidence);
  evidence.details.verdict = verdict ?? null;
  const isSeen = test !== undefined || (verdict !== undefined && verdict !== "EMPTY");
  if (test?.passed === false) return { evidence, isSeen, failure: refusalOf(evidence, "") };
  if (verdict === undefined || passes(verdict, required)) {
    return { evidence, isSeen, failure: undefined };
  }
  const failure_reason = outcome.result.summary ?? `What was to be verified is ${verdict}`;
  return { evidence, isSeen, failure: { failure_class: "verification_failed", failure_reason } };
}

function passes(verdict: VerifyResult, required: Requirement): boolean {
  if (required === "ANY" || verdict === "ALIGNED" || verdict === "EMPTY") return true;
  return verdict === "PARTIAL" && required === "ALIGNED_OR_PARTIAL";
}

/** Evidence for the work: its diff, and the test result if there is one. */
export interface Evidence {
  headSha: string;
  changedFiles: string[];
  verifyResult: VerifyResult;
  details: Record<string, unknown>;
}

const testSchema = z.object({ passed: z.boolean(), exit_code: z.number().nullable(), output: z.string() });

/** The service's limits for the list: number of paths, and characters in total. */
const mostFiles = 5_000;
const mostCharacters = 100_000;

/** The changed files, cut to the service's limits. */
export function listedFiles({ changedFiles }: Evidence): string[] {
  const files: string[] = [];
  let left = mostCharacters;
  for (const file of changedFiles.slice(0, mostFiles)) {
    const path = sendable(file, 1_000);
    left -= path.length + 4;
    if (left < 0) break;
    files.push(path);
  }
  return files;
}

/** The test's result, if there was one. */
export function testOf({ details }: Pick<Evidence, "details">) {
  return testSchema.safeParse(details.test).data;
}

/** Why the gate is closed; quotes the test's output if the test failed. */
export function refusalOf(evidence: Evidence, hint: string): Failure {
  const test = testOf(evidence);
  const failure_reason =
    test && !test.passed ? `The test command ended with ${test.exit_code}.\n${sendableEnd(test.output, 3_500)}` : hint;
  return { failure_class: "verification_failed", failure_reason };
}

/** Collects the diff since a commit and runs the test command, if any. A failing test makes a diff DIVERGENT. */
export async function examine(
  attempt: Attempt,
  workspace: Workspace,
  { result }: Outcome,
  since: string,
): Promise<Evidence> {
  const { testCommand, folder } = workspace;
  // Before the test, which may commit as well.
  const head = await git(folder, "rev-parse", "HEAD");
  if (testCommand === undefined) return gatherEvidence(workspace, since, head, result, undefined);
  const test = await runShown(attempt, workspace, {
    kind: "test",
    title: testCommand,
    command: testCommand,
    environment: { BACKLOOM_JOB_ID: attempt.job.id },
  });
  const evidence = await gatherEvidence(workspace, since, head, result, test);
  const hasFailed = test.exitCode !== 0 && evidence.verifyResult !== "EMPTY";
  return hasFailed ? { ...evidence, verifyResult: "DIVERGENT" } : evidence;
}

/** Collects the diff of the work. An empty diff is EMPTY, no matter what the command reports. */
export async function gatherEvidence(
  { folder, main }: Worktree,
  since: string,
  headSha: string,
  result: CommandResult,
  test: CommandEnd | undefined,
): Promise<Evidence> {
  const changedFiles = await gitPaths(folder, "diff", "--name-only", `${since}..${headSha}`);
  const details: Record<string, unknown> = {
    changed_files: changedFiles.length,
    commits: Number(await git(folder, "rev-list", "--count", `${main}..${headSha}`)),
    diff: (await git(folder, "diff", "--shortstat", `${since}..${headSha}`)) || "no changes",
  };
  if (test !== undefined) {
    details.test = { passed: test.exitCode === 0, exit_code: test.exitCode, output: sendableEnd(test.output, 8_000) };
  }
  return { headSha, changedFiles, verifyResult: judge(changedFiles, result, test), details };
}

/** Without a verdict of the command, tested work is ALIGNED and untested work PARTIAL. */
function judge(changedFiles: readonly string[], result: CommandResult, test: CommandEnd | undefined): VerifyResult {
  if (changedFiles.length === 0) return "EMPTY";
  return result.verify_result ?? (test === undefined ? "PARTIAL" : "ALIGNED");
}
