import { useNonce } from "~/components/nonce";

/**
 * Runs while the page is read, before anything of ours is requested: it takes the secret out of the address and
 * keeps it in this tab alone, so that it survives a sign-in without ever leaving the browser.
 */
const script = `(function () {
  var fragment = location.hash.slice(1);
  if (!fragment) return;
  try { sessionStorage.setItem("pairing", fragment); } catch (error) { window.pairingFragment = fragment; }
  history.replaceState(history.state, "", location.pathname);
})();`;

export function StripFragment() {
  const nonce = useNonce();
  return (
    <script
      nonce={nonce}
      suppressHydrationWarning
      // biome-ignore lint/security/noDangerouslySetInnerHtml: a constant of this file, allowed by the page's nonce
      dangerouslySetInnerHTML={{ __html: script }}
    />
  );
}
