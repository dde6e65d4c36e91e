// The program of a thread (see formatter-thread.server.ts): the work on diffs that grows with what somebody wrote.
import { parentPort } from "node:worker_threads";
import highlighter from "highlight.js/lib/common";
import { type Comparison, compareFiles } from "./compare-files";

/** Pieces of code that are coloured, or two files that are compared. */
export type DiffQuestion =
  | { colour: { language: string; texts: string[] } }
  | { compare: Comparison };

/** Spans that go over a line end are closed with the line and opened again on the next. */
function linesOf(html: string): string[] {
  const open: string[] = [];
  return html.split("\n").map((line) => {
    const beginning = open.join("");
    for (const [tag] of line.matchAll(/<span[^>]*>|<\/span>/g)) {
      if (tag === "</span>") open.pop();
      else open.push(tag);
    }
    return `${beginning}${line}${"</span>".repeat(open.length)}`;
  });
}

/** highlight.js escapes what it is given; the classes are all that it adds. */
function colour(language: string, texts: readonly string[]): string[][] {
  return texts.map((text) =>
    linesOf(highlighter.highlight(text, { language, ignoreIllegals: true }).value),
  );
}

function answer(question: DiffQuestion): unknown {
  if ("compare" in question) return compareFiles(question.compare);
  return colour(question.colour.language, question.colour.texts);
}

parentPort?.on("message", (text: string) => {
  try {
    const question: DiffQuestion = JSON.parse(text);
    parentPort?.postMessage({ made: JSON.stringify(answer(question)) });
  } catch {
    parentPort?.postMessage({ made: null });
  }
});
parentPort?.postMessage({ ready: true });
