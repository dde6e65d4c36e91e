/** A path from parameters of another, which are decoded: `` at`/products/${productId}/backlog` ``. */
export const at = (texts: TemplateStringsArray, ...parameters: (string | undefined)[]): string =>
  String.raw({ raw: texts }, ...parameters.map((value) => encodeURIComponent(value ?? "")));

/** Returns `path` if it is a path of this site, otherwise `/`. Prevents open redirects. */
export function safeRedirect(path: unknown): string {
  if (typeof path !== "string" || !/^\/(?![/\\])[\x21-\x7e]*$/.test(path)) return "/";
  if (path.includes("\\") || !URL.canParse(path, "http://own.invalid")) return "/";
  const { origin, pathname, search, hash } = new URL(path, "http://own.invalid");
  const isOwn = origin === "http://own.invalid" && !pathname.startsWith("//");
  return isOwn ? `${pathname}${search}${hash}` : "/";
}

/** Pages that became part of another one. Links to them stand in notices, chats and bookmarks. */
const moved: readonly (readonly [from: RegExp, to: string])[] = [
  [/^\/(questions|invitations)$/, "/inbox?show=$1"],
  [/^\/jobs$/, "/agents"],
  [/^\/workers$/, "/agents/workers"],
  [/^\/products\/([^/]+)\/runs$/, "/agents/runs?product=$1"],
];

/** Where a moved page is now, with the query it was asked with. */
export function movedTo({ pathname, search }: { pathname: string; search: string }): string | null {
  const found = moved.find(([from]) => from.test(pathname));
  if (!found) return null;
  const place = pathname.replace(...found);
  return place + (place.includes("?") ? search.replace("?", "&") : search);
}
