/** Where `ScrollPlaces` keeps the places of a tab, each under the key of its entry in the history. */
export const placesKey = "positions";

/**
 * Runs as soon as the page is there: whoever loads one anew is where they were before they can scroll themselves. The
 * browser's own way looks for the element that was at the top, and may find another one while the page is still coming.
 */
const script = `(() => {
  try {
    history.scrollRestoration = "manual";
    if (!history.state?.key) history.replaceState({ key: Math.random().toString(36).slice(2) }, "");
    const place = JSON.parse(sessionStorage.getItem("${placesKey}") ?? "{}")[history.state.key];
    if (typeof place === "number") scrollTo(0, place);
  } catch {}
})()`;

export function EarlierPlace({ nonce }: { nonce: string | undefined }) {
  return (
    <script
      nonce={nonce}
      suppressHydrationWarning
      // biome-ignore lint/security/noDangerouslySetInnerHtml: written above
      dangerouslySetInnerHTML={{ __html: script }}
    />
  );
}
