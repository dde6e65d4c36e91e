/** Where this tab remembers how a page was left: those parameters of its address that say how it looks. */
export const keptLookKey = (path: string) => `look ${path}`;

/** The way to a page as it was left; anyone who is there already goes to it without a filter. */
export function withKeptLook(path: string): string {
  try {
    const look = path === location.pathname ? null : sessionStorage.getItem(keptLookKey(path));
    return look ? `${path}?${look}` : path;
  } catch {
    return path;
  }
}
