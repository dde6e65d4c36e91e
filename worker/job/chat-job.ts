import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { messageOf } from "../base/problems";
import { openRepositoryOf } from "../git/repository";
import { noRules } from "../git/rules";
import { addReadingTree } from "../git/worktree";
import { noSandbox, type Sandbox } from "../sandbox/sandbox";
import type { Attempt } from "./attempt";
import { openForJob } from "./open/open-attempt";
import { park, report, reportFailure, reportStart } from "./report/reports";
import { ideaAssignment } from "./turn/assignment";
import { execute, failureOf } from "./turn/execute";

/** A user's question about an idea, with the repository to read. The reply is the summary or the output. */
export async function workOnChat(attempt: Attempt, sandboxes: Sandbox): Promise<void> {
  const { job, journal } = attempt;
  const { folder, remove } = await openFolder(attempt);
  let sandbox = noSandbox;
  try {
    const given = { folder, rules: noRules };
    sandbox = await openForJob(attempt, sandboxes, { ...given, main: "HEAD" });
    const workspace = { ...given, sandbox };
    await reportStart(attempt, workspace);
    const assignment = ideaAssignment(job);
    const outcome = await execute(attempt, workspace, assignment, {});
    const failure = failureOf(outcome);
    if (failure !== undefined) return await reportFailure(attempt, failure, outcome.result);
    if (outcome.result.question !== undefined) {
      return await park(attempt, assignment, outcome.result);
    }
    const answer = outcome.result.summary ?? (outcome.end.answer || outcome.end.output);
    if (answer.trim() === "") {
      const silent = { failure_class: "agent_error", failure_reason: "The command gave no answer" };
      return await reportFailure(attempt, silent, outcome.result);
    }
    await report(attempt, "done", { summary: answer });
    journal.say(`Answered the question about ${job.idea?.code ?? "the idea"}`);
  } finally {
    await remove().finally(sandbox.close);
  }
}

/** A read-only checkout of the repository if available; a conversation can do without. */
async function openFolder({ job, options, folder, journal }: Attempt) {
  const name = `${job.id}-${job.attempt}`;
  try {
    const repository = await openRepositoryOf(job, options, folder);
    return await addReadingTree({ repository, parent: folder.worktrees, name });
  } catch (error) {
    journal.say(`Answering without the repository: ${messageOf(error)}`);
  }
  const empty = join(folder.worktrees, name);
  await mkdir(empty, { recursive: true });
  return { folder: empty, remove: () => rm(empty, { recursive: true, force: true }) };
}
