/** The kind of a thing, which is named `kind:id`. */
export const kindOf = (thing: string): string => thing.split(":")[0] ?? "";

/** Those of one kind. */
export const ofKind = (things: Iterable<string>, kind: string): string[] =>
  [...things].filter((thing) => thing.startsWith(`${kind}:`));
