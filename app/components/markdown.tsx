import { lazy, Suspense } from "react";

const MarkdownBody = lazy(() => import("./markdown-body"));

/** A text in Markdown, without raw HTML. Its code is loaded only where a text is shown; meanwhile the source stands there. */
export function Markdown({ text }: { text: string }) {
  return (
    <div className="prose">
      <Suspense fallback={<p className="whitespace-pre-wrap">{text}</p>}>
        <MarkdownBody text={text} />
      </Suspense>
    </div>
  );
}
