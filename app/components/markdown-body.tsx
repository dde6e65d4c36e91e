import ReactMarkdown from "react-markdown";
import rehypeSanitize from "rehype-sanitize";
import remarkGfm from "remark-gfm";

/** Headings in a text stand below the headings of the page. */
const lowered = { h1: "h3", h2: "h4", h3: "h5", h4: "h6" } as const;

export default function MarkdownBody({ text }: { text: string }) {
  return (
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
        img: ({ alt }) => <em>{alt ?? "image"}</em>,
      }}
    >
      {text}
    </ReactMarkdown>
  );
}
