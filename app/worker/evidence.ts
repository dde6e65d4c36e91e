import type { VerifyResult } from "~/contract/agent-job";
import { git } from "./git";
import type { CommandResult } from "./result-file";
import type { CommandEnd } from "./run-command";
import type { Worktree } from "./worktree";

/** What speaks for the work: the diff, and the test command's result when there is one. */
export interface Evidence {
  headSha: string;
  changedFiles: string[];
  verifyResult: VerifyResult;
  details: Record<string, unknown>;
}

/** Looks at the diff of the work. An empty one is EMPTY whatever the command says of it. */
export async function gatherEvidence(
  { folder }: Worktree,
  since: string,
  result: CommandResult,
  test: CommandEnd | undefined,
): Promise<Evidence> {
  const headSha = await git(folder, "rev-parse", "HEAD");
  const names = await git(folder, "diff", "--name-only", `${since}..${headSha}`);
  const changedFiles = names.split("\n").filter((name) => name !== "");
  const details: Record<string, unknown> = {
    changed_files: changedFiles.length,
    diff: (await git(folder, "diff", "--shortstat", `${since}..${headSha}`)) || "no changes",
  };
  if (test !== undefined) {
    details.test = { passed: test.exitCode === 0, exit_code: test.exitCode, output: test.output };
  }
  return { headSha, changedFiles, verifyResult: judge(changedFiles, result, test), details };
}

/** Without a judgement of the command, tested work counts as aligned and untested work as partly so. */
function judge(
  changedFiles: readonly string[],
  result: CommandResult,
  test: CommandEnd | undefined,
): VerifyResult {
  if (changedFiles.length === 0) return "EMPTY";
  return result.verify_result ?? (test === undefined ? "PARTIAL" : "ALIGNED");
}
