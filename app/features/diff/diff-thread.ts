// Program of a worker thread (see work-thread.server.ts): diff work whose cost grows with user input.
import { parentPort } from "node:worker_threads";
import highlighter from "highlight.js/lib/common";
import { type Comparison, compareFiles } from "./compare-files";

/** Code to highlight, or two files to compare. */
export type DiffQuestion = { color: { language: string; texts: string[] } } | { compare: Comparison };

/** Closes spans that cross a line end, and reopens them on the next line. */
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

/** highlight.js escapes its input; it adds only classes. */
function color(language: string, texts: readonly string[]): string[][] {
  return texts.map((text) => linesOf(highlighter.highlight(text, { language, ignoreIllegals: true }).value));
}

function answer(question: DiffQuestion): unknown {
  if ("compare" in question) return compareFiles(question.compare);
  return color(question.color.language, question.color.texts);
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
