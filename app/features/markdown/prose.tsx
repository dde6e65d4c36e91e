import { useEffect } from "react";
import { useLive } from "~/live/live-provider";

/** HTML that `renderMarkdown` made and sanitised on the server; nothing else may make one. */
export interface SafeHtml {
  html: string;
  /** It is the text as it was written, which is being formatted. */
  unfinished?: true;
}

/** So long after a text came as it was written the page asks for it again. */
const askAgainAfter = 1_000;

/** A formatted text; one that was not ready yet is replaced as soon as it is. */
export function Prose({ content }: { content: SafeHtml }) {
  const { revalidate } = useLive();
  useEffect(() => {
    if (!content.unfinished) return;
    const timer = setTimeout(revalidate, askAgainAfter);
    return () => clearTimeout(timer);
  }, [content, revalidate]);
  return (
    <div
      className="prose"
      // biome-ignore lint/security/noDangerouslySetInnerHtml: sanitised by renderMarkdown on the server
      dangerouslySetInnerHTML={{ __html: content.html }}
    />
  );
}
