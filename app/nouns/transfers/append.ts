/** Adds a value to the list of its key, in place: a copy for each value would take quadratic time. */
export function append<Key, Value>(lists: Map<Key, Value[]>, key: Key, value: Value): void {
  const known = lists.get(key);
  if (known === undefined) lists.set(key, [value]);
  else known.push(value);
}

/** Takes the list of a key out, so that a key that comes again costs nothing. */
export function take<Key, Value>(lists: Map<Key, Value[]>, key: Key): Value[] {
  const list = lists.get(key) ?? [];
  lists.delete(key);
  return list;
}
