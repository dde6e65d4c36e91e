import { useLinkArea } from "./link-area";

/** What React wrote on the server, where nobody needs what draws it; its links go where they point without a new page. */
export function ServerText({ html, className }: { html: string; className?: string }) {
  const follow = useLinkArea();
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Enter on a link is a click
    // biome-ignore lint/a11y/noStaticElementInteractions: the links in it are what is clicked
    // biome-ignore lint/security/noDangerouslySetInnerHtml: written by React on the server
    <div className={className} onClick={follow} dangerouslySetInnerHTML={{ __html: html }} />
  );
}
