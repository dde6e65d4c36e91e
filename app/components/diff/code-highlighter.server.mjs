// Runs in a thread of its own, from its text (see formatter-thread.server.ts): pieces of code in, coloured lines of HTML out.
// highlight.js escapes what it is given; the classes are all that it adds.
import { parentPort, workerData } from "node:worker_threads";

const [{ default: highlighter }] = await Promise.all(
  workerData.packages.map((address) => import(address)),
);

/** Spans that go over a line end are closed with the line and opened again on the next. */
function linesOf(html) {
  const open = [];
  return html.split("\n").map((line) => {
    const beginning = open.join("");
    for (const [tag] of line.matchAll(/<span[^>]*>|<\/span>/g)) {
      if (tag === "</span>") open.pop();
      else open.push(tag);
    }
    return `${beginning}${line}${"</span>".repeat(open.length)}`;
  });
}

function colour({ language, texts }) {
  return texts.map((text) =>
    linesOf(highlighter.highlight(text, { language, ignoreIllegals: true }).value),
  );
}

parentPort.on("message", (text) => {
  try {
    parentPort.postMessage({ html: JSON.stringify(colour(JSON.parse(text))) });
  } catch {
    parentPort.postMessage({ html: null });
  }
});
parentPort.postMessage({ ready: true });
