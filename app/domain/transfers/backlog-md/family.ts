import type { Note } from "./conversion";
import type { SourceItem } from "./parse-file.server";

/** The tasks of a folder as trees, linked by `parent_task_id`. */
export interface Family {
  /** Tasks without a parent, in the order of the folder. */
  roots: SourceItem[];
  /** Tasks whose parent is not among the tasks, by the parent's id. */
  orphans: Map<string, SourceItem[]>;
  childrenOf(item: SourceItem): SourceItem[];
  /** Children, grandchildren and so on. */
  descendantsOf(item: SourceItem): SourceItem[];
}

/** Links children to parents. Duplicate ids and cycles are noted, never dropped. */
export function linkFamily(items: readonly SourceItem[], notes: Note[]): Family {
  const byKey = new Map<string, SourceItem>();
  for (const item of items) {
    const first = byKey.get(item.key);
    if (first === undefined) byKey.set(item.key, item);
    else notes.push({ source: item.path, note: `has the same id as ${first.path}` });
  }
  const children = new Map<SourceItem, SourceItem[]>();
  const family: Family = {
    roots: [],
    orphans: new Map(),
    childrenOf: (item) => children.get(item) ?? [],
    descendantsOf: (item) => {
      const found: SourceItem[] = [];
      const waiting = [...family.childrenOf(item)].reverse();
      for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
        found.push(next);
        waiting.push(...[...family.childrenOf(next)].reverse());
      }
      return found;
    },
  };
  for (const item of items) {
    const parent = item.parentKey === null ? undefined : byKey.get(item.parentKey);
    if (parent !== undefined && !isBelow(parent, item, byKey)) append(children, parent, item);
    else if (item.parentKey === null) family.roots.push(item);
    else if (parent === undefined) append(family.orphans, item.parentKey, item);
    else {
      notes.push({
        source: item.path,
        note: "is its own ancestor: read as a task without a parent",
      });
      family.roots.push(item);
    }
  }
  return family;
}

/** True if `item` is `from` or one of its ancestors, so that linking them would create a cycle. */
function isBelow(from: SourceItem, item: SourceItem, byKey: Map<string, SourceItem>): boolean {
  const seen = new Set<SourceItem>();
  for (let at: SourceItem | undefined = from; at !== undefined && !seen.has(at); ) {
    if (at === item) return true;
    seen.add(at);
    at = at.parentKey === null ? undefined : byKey.get(at.parentKey);
  }
  return false;
}

function append<Key>(map: Map<Key, SourceItem[]>, key: Key, item: SourceItem): void {
  const known = map.get(key);
  if (known === undefined) map.set(key, [item]);
  else known.push(item);
}
