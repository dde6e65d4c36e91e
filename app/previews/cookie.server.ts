import { createHmac, timingSafeEqual } from "node:crypto";
import type { PreviewHosts } from "~/preview-hosts.server";
import type { Viewer } from "./access.server";

/** Proves that its holder came with a ticket, for one preview. Programs neither see it nor set one of its name. */
const lifetimeSeconds = 8 * 60 * 60;

/** Over https only this host itself can set it, and no other. */
const nameOf = ({ isSecure }: PreviewHosts) => (isSecure ? "__Host-backloom-preview" : "backloom-preview");

/** A pair of a `Cookie` or `Set-Cookie` header with a name of ours. A pair without a name is sent back as if it had one. */
export const ownCookie = /^[\s=]*(?:__host-)?backloom/i;

export function viewerCookie(hosts: PreviewHosts, viewer: Viewer, secrets: readonly string[]): string {
  const [secret] = secrets;
  if (secret === undefined) throw new Error("No SESSION_SECRET to sign the cookie of a preview with");
  const expires = Math.floor(Date.now() / 1000) + lifetimeSeconds;
  const value = `${viewer.userId}.${viewer.sessionId}.${expires}.${seal(viewer, expires, secret)}`;
  const secure = hosts.isSecure ? "; Secure" : "";
  return `${nameOf(hosts)}=${value}; Max-Age=${lifetimeSeconds}; Path=/; HttpOnly; SameSite=Lax${secure}`;
}

/** Who holds a valid cookie. A page may have set others of the name for one of its paths. */
export function readViewer(
  hosts: PreviewHosts,
  previewId: string,
  cookieHeader: string | undefined,
  secrets: readonly string[],
): Viewer | null {
  const start = `${nameOf(hosts)}=`;
  const pairs = (cookieHeader ?? "").split(/; */).filter((pair) => pair.startsWith(start));
  for (const pair of pairs.slice(0, 5)) {
    const found = /^([\da-f-]{36})\.([\da-f-]{36})\.(\d{1,12})\.([\w-]{43})$/.exec(pair.slice(start.length));
    if (found === null) continue;
    const [, userId = "", sessionId = "", expires = "", sealed = ""] = found;
    if (Number(expires) * 1000 < Date.now()) continue;
    const viewer = { previewId, userId, sessionId };
    const isSeal = (secret: string) =>
      timingSafeEqual(Buffer.from(sealed), Buffer.from(seal(viewer, Number(expires), secret)));
    if (secrets.some(isSeal)) return viewer;
  }
  return null;
}

function seal({ previewId, userId, sessionId }: Viewer, expires: number, secret: string): string {
  const text = ["preview", previewId, userId, sessionId, expires].join("\n");
  return createHmac("sha256", secret).update(text).digest("base64url");
}
