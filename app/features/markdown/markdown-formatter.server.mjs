// Runs in a thread of its own, from its text (see formatter-thread.server.ts): Markdown in, sanitised HTML out. A text that
// takes too long is ended from outside, and nothing but this thread has waited for it.
import { parentPort, workerData } from "node:worker_threads";

const [{ default: React }, { default: ReactDom }, markdown, gfm, sanitize] = await Promise.all(
  workerData.packages.map((address) => import(address)),
);
const { createElement } = React;

/** Headings in a text stand below the headings of the page. */
const lowered = { h1: "h3", h2: "h4", h3: "h5", h4: "h6" };

/** Raw HTML and script links are dropped, pictures become their words: nothing is loaded from elsewhere. */
const components = {
  ...lowered,
  a: ({ href, children }) => createElement("a", { href, rel: "noreferrer nofollow" }, children),
  img: ({ alt }) => createElement("em", null, alt || "picture"),
  input: ({ checked }) => createElement("span", null, checked ? "☑ " : "☐ "),
};

function format(text) {
  const options = { remarkPlugins: [gfm.default], rehypePlugins: [sanitize.default], components };
  return ReactDom.renderToStaticMarkup(createElement(markdown.default, options, text));
}

parentPort.on("message", (text) => {
  try {
    parentPort.postMessage({ made: format(text) });
  } catch {
    // Nested too deeply for the stack.
    parentPort.postMessage({ made: null });
  }
});
parentPort.postMessage({ ready: true });
