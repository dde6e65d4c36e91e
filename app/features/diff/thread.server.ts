import { type Outcome, WorkThread, within } from "~/threads/work-thread.server";
import type { DiffQuestion } from "./diff-thread";
import source from "./diff-thread?thread";

/** A page waits at most this long for highlighting and comparisons, in milliseconds. */
const longestWait = 6_000;

const thread = new WorkThread(source, { longest: 3_000, memoryMb: 256 });

/** Asks the one thread for diffs. The answer is JSON. */
export function askThread(question: DiffQuestion, viewer: string): Promise<Outcome> {
  return within(longestWait, thread.run(JSON.stringify(question), viewer));
}
