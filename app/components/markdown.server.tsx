import { renderToStaticMarkup } from "react-dom/server";
import ReactMarkdown from "react-markdown";
import rehypeSanitize from "rehype-sanitize";
import remarkGfm from "remark-gfm";
import type { SafeHtml } from "./prose";

/** Headings in a text stand below the headings of the page. */
const lowered = { h1: "h3", h2: "h4", h3: "h5", h4: "h6" } as const;

/**
 * A text in Markdown as sanitised HTML: raw HTML and script links are dropped, pictures become their words
 * (nothing is loaded from elsewhere). Done on the server, so no page carries a Markdown parser.
 */
export function renderMarkdown(text: string | null | undefined): SafeHtml | null {
  if (!text?.trim()) return null;
  return {
    html: renderToStaticMarkup(
      <ReactMarkdown
        remarkPlugins={[remarkGfm]}
        rehypePlugins={[rehypeSanitize]}
        components={{
          ...lowered,
          a: ({ href, children }) => (
            <a href={href} rel="noreferrer nofollow">
              {children}
            </a>
          ),
          img: ({ alt }) => <em>{alt || "picture"}</em>,
          input: ({ checked }) => <span>{checked ? "☑ " : "☐ "}</span>,
        }}
      >
        {text}
      </ReactMarkdown>,
    ),
  };
}
