import { type ObservedPull, pullLimits } from "~/contract/pull";
import { ForgeProblem } from "./forge";

type CiState = NonNullable<ObservedPull["ci"]>["state"];

/** Combines CI states: failed if any failed, otherwise pending if any is pending. */
export function stateOfAll(states: readonly CiState[]): CiState {
  for (const state of ["failed", "pending", "passed"] as const) {
    if (states.includes(state)) return state;
  }
  return "none";
}

const mostLines = 200;

/** End of a log, within the service's limits. */
export function endOf(log: string): string {
  return log.trimEnd().split("\n").slice(-mostLines).join("\n").slice(-pullLimits.log);
}

/** Treats what the login may not read as missing. */
export async function unlessForbidden<T>(asked: Promise<T>, instead: T): Promise<T> {
  return asked.catch((error: unknown) => {
    if (error instanceof ForgeProblem && (error.status === 403 || error.status === 404))
      return instead;
    throw error;
  });
}
