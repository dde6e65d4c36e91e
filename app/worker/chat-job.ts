import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { type Attempt, execute, failureOf, park } from "./attempt";
import { report, reportFailure, reportStart } from "./reports";
import { usageOf } from "./result-file";

/** Answers what a user asked about an idea: no repository, the summary or the output is the answer. */
export async function workOnChat(attempt: Attempt): Promise<void> {
  const { job, journal } = attempt;
  const folder = join(attempt.folder.worktrees, `${job.id}-${job.attempt}`);
  await mkdir(folder, { recursive: true });
  try {
    await reportStart(attempt);
    const outcome = await execute(attempt, assignmentOf(attempt), folder, {});
    const failure = failureOf(outcome);
    if (failure !== undefined) return await reportFailure(attempt, failure, outcome.result);
    if (outcome.result.question !== undefined) return await park(attempt, outcome.result);
    const answer = outcome.result.summary ?? outcome.end.output;
    if (answer.trim() === "") {
      const silent = { failure_class: "agent_error", failure_reason: "The command gave no answer" };
      return await reportFailure(attempt, silent, outcome.result);
    }
    await report(attempt, "done", { summary: answer, ...usageOf(outcome.result) });
    journal.say(`Answered the question about ${job.idea?.code ?? "the idea"}`);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function assignmentOf({ job }: Attempt) {
  return {
    job,
    taskCode: null,
    storyCode: null,
    title: job.idea?.title ?? "Question about an idea",
    description: job.idea?.description ?? "",
    plan: null,
    acceptanceCriteria: "",
  };
}
