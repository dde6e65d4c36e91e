import { messageOf, Refusal } from "../base/problems";
import { askedFor, forgetAsked, keepIn, noteAsked } from "../sandbox/kept-permissions";
import type { Attempt } from "./attempt";
import { awaitPermission, readPermission } from "./permission";

interface Wish {
  question: string;
  options: string[];
  /** The host it is for. */
  reach?: string;
  /** What is kept if the answer is `always`: a host, or a path. */
  what: string;
  always: string;
  /** File of permanent permissions, and the product or repository they are for. */
  file: string;
  place: string;
}

/**
 * Asks the user about something of this machine, without ending the job's work. An answer after the job counts for the
 * next one (`hearLateAnswers`). Returns null if nobody could be asked.
 */
export async function askAboutMachine(
  attempt: Attempt,
  { what, always, file, place, ...wish }: Wish,
  signal: AbortSignal,
): Promise<string | null> {
  try {
    const answer = await awaitPermission(attempt, wish, signal, (question) =>
      noteAsked(file, place, { what, question }),
    );
    if (answer === always) await keepIn(file, place, what);
    await forgetAsked(file, place, what);
    return answer;
  } catch (error) {
    if (!signal.aborted) attempt.journal.say(`Could not ask about ${what}: ${messageOf(error)}`);
    return null;
  }
}

/** Takes the answers that came since earlier jobs ended, and returns what is allowed for this job only. */
export async function hearLateAnswers(
  attempt: Attempt,
  file: string,
  place: string,
  { once, always }: { once?: string; always: string },
): Promise<string[]> {
  const allowed: string[] = [];
  for (const { what, question } of await askedFor(file, place)) {
    const answer = await readPermission(attempt, question.id).catch((error: unknown) => {
      if (error instanceof Refusal) return null;
      throw error;
    });
    if (answer === undefined) {
      // Still open: this job waits for it too, instead of asking again.
      attempt.job.questions.push(question);
      continue;
    }
    if (answer === always) await keepIn(file, place, what);
    if (answer !== null && answer === once) allowed.push(what);
    await forgetAsked(file, place, what);
  }
  return allowed;
}
