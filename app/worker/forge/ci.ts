import { type ObservedPull, pullLimits } from "~/contract/pull";
import { ForgeProblem } from "./forge";

type CiState = NonNullable<ObservedPull["ci"]>["state"];

/** One red part makes all of it red, one that is not over makes it wait. */
export function stateOfAll(states: readonly CiState[]): CiState {
  for (const state of ["failed", "pending", "passed"] as const) {
    if (states.includes(state)) return state;
  }
  return "none";
}

const mostLines = 200;

/** The end of a log, as far as it is handed in. */
export function endOf(log: string): string {
  return log.trimEnd().split("\n").slice(-mostLines).join("\n").slice(-pullLimits.log);
}

/** What the login may not read is as if it were not there. */
export async function unlessForbidden<T>(asked: Promise<T>, instead: T): Promise<T> {
  return asked.catch((error: unknown) => {
    if (error instanceof ForgeProblem && (error.status === 403 || error.status === 404))
      return instead;
    throw error;
  });
}
