import { allowWord, denyWord } from "../../agents/acp/permission";
import { Refusal } from "../../base/problems";
import { sendable } from "../../base/sendable";
import type { Attempt } from "../attempt";
import { askPermission, readPermission } from "../open/permission";

/** Keeps an agent that names many commands from flooding the inbox. */
const mostAsked = 5;
const longestCommand = 2_000;

/**
 * True if the worker's user allowed this exact command as proof. Asks once per job without waiting: the answer counts
 * the next time the command is named, in a later turn or attempt.
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

/** A command is only asked about if the question can show all of it. */
function isShownWhole({ clean }: Pick<Attempt, "clean">, command: string): boolean {
  return clean(sendable(command, longestCommand)) === command;
}

function countAsked({ job }: Pick<Attempt, "job">): number {
  return job.questions.filter(({ question }) => question.endsWith("` as proof on this machine?"))
    .length;
}
