/** Returns `path` if it is a path of this site, otherwise the fallback. Prevents open redirects. */
export function safeRedirect(path: unknown, fallback = "/"): string {
  if (typeof path !== "string" || !/^\/(?![/\\])[\x21-\x7e]*$/.test(path)) return fallback;
  if (path.includes("\\") || !URL.canParse(path, "http://own.invalid")) return fallback;
  const { origin, pathname, search, hash } = new URL(path, "http://own.invalid");
  const isOwn = origin === "http://own.invalid" && !pathname.startsWith("//");
  return isOwn ? `${pathname}${search}${hash}` : fallback;
}
