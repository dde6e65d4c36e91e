import { allowWord, denyWord } from "../agents/acp-permission";
import { Refusal } from "../service/problems";
import { sendable } from "../service/sendable";
import type { Attempt } from "./attempt";
import { askPermission, readPermission } from "./permission";

/** Whoever names one command after the other fills no inbox. */
const mostAsked = 5;
const longestCommand = 2_000;

/**
 * Whether the worker's person has allowed this very command as proof. They are asked once in a job, which goes on meanwhile: the
 * answer counts whenever the command is named again, in the next turn or attempt.
 */
export async function isAllowedAsProof(attempt: Attempt, command: string): Promise<boolean> {
  const { job } = attempt;
  const question = `Run \`${command}\` as proof on this machine?`;
  const asked = job.questions.find(
    (given) => given.kind === "permission" && given.question === question,
  );
  if (asked !== undefined) return (await readPermission(attempt, asked.id)) === allowWord;
  if (!isShownWhole(attempt, command) || countAsked(attempt) >= mostAsked) return false;
  try {
    job.questions.push(await askPermission(attempt, { question, options: [allowWord, denyWord] }));
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    attempt.journal.say(`Could not ask for permission: ${error.message}`);
  }
  return false;
}

/** Nobody allows a command of which they see a part. */
function isShownWhole({ clean }: Attempt, command: string): boolean {
  return clean(sendable(command, longestCommand)) === command;
}

function countAsked({ job }: Attempt): number {
  return job.questions.filter(({ question }) => question.endsWith("` as proof on this machine?"))
    .length;
}
