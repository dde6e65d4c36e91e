import {
  type Formatted,
  FormatterThread,
  within,
} from "~/features/markdown/formatter-thread.server";
import type { DiffQuestion } from "./diff-thread";
import source from "./diff-thread?thread";

/** A page does not wait longer for colours, and for what changed since an earlier attempt. */
const longestWait = 6_000;

const thread = new FormatterThread(source);

/** Asks the one thread in which diffs are worked on; the answer is JSON. */
export function askThread(question: DiffQuestion, viewer: string): Promise<Formatted> {
  return within(longestWait, thread.format(JSON.stringify(question), viewer));
}
