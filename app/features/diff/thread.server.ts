import {
  type Formatted,
  FormatterThread,
  within,
} from "~/features/markdown/formatter-thread.server";
import type { DiffQuestion } from "./diff-thread";
import source from "./diff-thread?thread";

/** A page waits at most this long for highlighting and comparisons, in milliseconds. */
const longestWait = 6_000;

const thread = new FormatterThread(source);

/** Asks the one thread for diffs. The answer is JSON. */
export function askThread(question: DiffQuestion, viewer: string): Promise<Formatted> {
  return within(longestWait, thread.format(JSON.stringify(question), viewer));
}
