// The program of a thread (see formatter-thread.server.ts): Markdown in, sanitised HTML out.
import { parentPort } from "node:worker_threads";
import { renderToStaticMarkup } from "react-dom/server";
import Markdown, { type Components } from "react-markdown";
import rehypeSanitize from "rehype-sanitize";
import remarkGfm from "remark-gfm";

/** Headings in a text stand below the headings of the page. */
const lowered: Components = { h1: "h3", h2: "h4", h3: "h5", h4: "h6" };

const ownFile = /^\/api\/files\/[0-9a-f-]{36}$/;

/** Raw HTML and script links are dropped, pictures of elsewhere become their words: nothing is loaded from other hosts. */
const components: Components = {
  ...lowered,
  a: ({ href, children }) => (
    <a href={href} rel="noreferrer nofollow">
      {children}
    </a>
  ),
  img: ({ alt, src }) =>
    typeof src === "string" && ownFile.test(src) ? (
      <img src={src} alt={alt ?? ""} loading="lazy" />
    ) : (
      <em>{alt || "picture"}</em>
    ),
  input: ({ checked }) => <span>{checked ? "☑ " : "☐ "}</span>,
};

function format(text: string): string {
  return renderToStaticMarkup(
    <Markdown remarkPlugins={[remarkGfm]} rehypePlugins={[rehypeSanitize]} components={components}>
      {text}
    </Markdown>,
  );
}

parentPort?.on("message", (text: string) => {
  try {
    parentPort?.postMessage({ made: format(text) });
  } catch {
    // Nested too deeply for the stack.
    parentPort?.postMessage({ made: null });
  }
});
parentPort?.postMessage({ ready: true });
