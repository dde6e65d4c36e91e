import { append } from "../../append";
import type { LeftOut } from "../left-out";
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
export function linkFamily(items: readonly SourceItem[], leftOut: LeftOut): Family {
  const byKey = new Map<string, SourceItem>();
  for (const item of items) {
    const first = byKey.get(item.key);
    if (first === undefined) byKey.set(item.key, item);
    else leftOut.add(`Notes on files: same id as ${first.path}`, 1, item.path);
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
  const parentOf = (item: SourceItem) =>
    item.parentKey === null ? undefined : byKey.get(item.parentKey);
  const circular = membersOfCycles(items, parentOf);
  for (const item of items) {
    const parent = parentOf(item);
    if (parent !== undefined && !circular.has(item)) append(children, parent, item);
    else if (item.parentKey === null) family.roots.push(item);
    else if (parent === undefined) append(family.orphans, item.parentKey, item);
    else {
      leftOut.add("Notes on files: its own ancestor, so read without a parent", 1, item.path);
      family.roots.push(item);
    }
  }
  return family;
}

/** Items that are their own ancestors. Each is visited once, because the folder decides how deep its families are. */
function membersOfCycles(
  items: readonly SourceItem[],
  parentOf: (item: SourceItem) => SourceItem | undefined,
): Set<SourceItem> {
  const circular = new Set<SourceItem>();
  const visited = new Set<SourceItem>();
  for (const item of items) {
    const path = new Set<SourceItem>();
    let at: SourceItem | undefined = item;
    for (; at && !visited.has(at); at = parentOf(at)) {
      visited.add(at);
      path.add(at);
    }
    for (; at && path.delete(at); at = parentOf(at)) circular.add(at);
  }
  return circular;
}
