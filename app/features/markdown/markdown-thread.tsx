// Program of a worker thread (see work-thread.server.ts): Markdown to sanitized HTML.
import { parentPort } from "node:worker_threads";
import { renderToStaticMarkup } from "react-dom/server";
import Markdown, { type Components } from "react-markdown";
import rehypeSanitize from "rehype-sanitize";
import remarkGfm from "remark-gfm";

/** Headings in a text rank below those of the page. */
const lowered: Components = { h1: "h3", h2: "h4", h3: "h5", h4: "h6" };

const ownFile = /^\/api\/files\/[0-9a-f-]{36}$/;

/** Drops raw HTML and script links; external images become their alt text, so nothing loads from other hosts. */
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
