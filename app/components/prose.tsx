/** HTML that `renderMarkdown` made and sanitised on the server; nothing else may make one. */
export interface SafeHtml {
  html: string;
}

/** A formatted text. */
export function Prose({ content }: { content: SafeHtml }) {
  return (
    <div
      className="prose"
      // biome-ignore lint/security/noDangerouslySetInnerHtml: sanitised by renderMarkdown on the server
      dangerouslySetInnerHTML={{ __html: content.html }}
    />
  );
}
