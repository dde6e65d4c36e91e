import { type ObservedPull, pullLimits } from "~/wire/pulls/contract";
import { ForgeProblem } from "./forge";
import type { Requests } from "./requests";

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

const mostLogs = 200;

/** Reads the log of an ended job once: it does not change, and downloads of it are counted by hosts. */
export function openLogs(requests: Requests): (path: string, instead: string) => Promise<string> {
  const read = new Map<string, string>();
  return async (path, instead) => {
    const before = read.get(path);
    if (before !== undefined) return before;
    const answer = await unlessForbidden(requests.get(path), null);
    const log = endOf(answer === null ? instead : String(answer));
    read.set(path, log);
    const [oldest] = read.keys();
    if (read.size > mostLogs && oldest !== undefined) read.delete(oldest);
    return log;
  };
}

/** Treats what the login may not read as missing. */
export async function unlessForbidden<T>(answer: Promise<T>, instead: T): Promise<T> {
  return answer.catch((error: unknown) => {
    if (error instanceof ForgeProblem && (error.status === 403 || error.status === 404)) return instead;
    throw error;
  });
}
