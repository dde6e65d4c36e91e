import { useEffect } from "react";
import { useLive } from "~/live/live-provider";

/** HTML made and sanitized by `renderMarkdown`. Nothing else may create it. */
export type SafeHtml = { html: string; unfinished?: true };

/** Milliseconds until the page reloads a text that was not ready. */
const askAgainAfter = 1_000;

/** A formatted text. If it was not ready yet, reloads until it is. */
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
