/** Returns a key's topmost ancestor in the file. In a cycle, that is the key itself. */
export function rootsOf(parents: ReadonlyMap<string, string>): (key: string) => string {
  return (key) => {
    const seen = new Set([key]);
    let root = key;
    for (let parent = parents.get(root); parent !== undefined; parent = parents.get(root)) {
      if (seen.has(parent)) return key;
      seen.add(parent);
      root = parent;
    }
    return root;
  };
}
