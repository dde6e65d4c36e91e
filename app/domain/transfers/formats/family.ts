/**
 * Returns a key's topmost ancestor in the file. In a cycle, and below one, that is the key itself. Each key is visited
 * once, because the file decides how deep its families are.
 */
export function rootsOf(parents: ReadonlyMap<string, string>): (key: string) => string {
  const roots = new Map<string, string | null>();
  return (key) => {
    const path = new Set<string>();
    let at: string | undefined = key;
    let top = key;
    for (; at !== undefined && !roots.has(at) && !path.has(at); at = parents.get(at)) {
      path.add(at);
      top = at;
    }
    const isCycle = at !== undefined && path.has(at);
    const root = isCycle ? null : at === undefined ? top : (roots.get(at) ?? null);
    for (const each of path) roots.set(each, root);
    return roots.get(key) ?? key;
  };
}
