import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { ideaAssignment } from "./assignment";
import { type Attempt, execute, failureOf, park } from "./attempt";
import { report, reportFailure, reportStart } from "./reports";

/** Answers what a user asked about an idea: no repository, the summary or the output is the answer. */
export async function workOnChat(attempt: Attempt): Promise<void> {
  const { job, journal } = attempt;
  const folder = join(attempt.folder.worktrees, `${job.id}-${job.attempt}`);
  await mkdir(folder, { recursive: true });
  try {
    await reportStart(attempt);
    const assignment = ideaAssignment(job);
    const outcome = await execute(attempt, assignment, folder, {});
    const failure = failureOf(outcome);
    if (failure !== undefined) return await reportFailure(attempt, failure, outcome.result);
    if (outcome.result.question !== undefined) {
      return await park(attempt, assignment, outcome.result);
    }
    const answer = outcome.result.summary ?? outcome.end.output;
    if (answer.trim() === "") {
      const silent = { failure_class: "agent_error", failure_reason: "The command gave no answer" };
      return await reportFailure(attempt, silent, outcome.result);
    }
    await report(attempt, "done", { summary: answer });
    journal.say(`Answered the question about ${job.idea?.code ?? "the idea"}`);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
