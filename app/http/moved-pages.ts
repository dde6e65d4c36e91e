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
