/** The topmost ancestor of each key that is in the file: of a circle the one where somebody began to look. */
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
