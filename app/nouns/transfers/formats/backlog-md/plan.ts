import type { LeftOut } from "~/wire/transfers/left-out";
import { append } from "../../append";
import { type SourceItem, toKey } from "./parse-file.server";

/** A PBI of the folder. */
interface PlannedPbi {
  title: string;
  description: string;
  code: string | undefined;
  stories: PlannedStory[];
}

export interface PlannedStory {
  item: SourceItem;
  /** Subtasks of every depth. */
  parts: SourceItem[];
}

/**
 * Groups the work into PBIs: a milestone with its tasks as stories, a parent without a milestone with its children as
 * stories. The rest is collected in two PBIs, current and completed.
 */
export function planPbis(
  work: readonly SourceItem[],
  everything: readonly SourceItem[],
  leftOut: LeftOut,
): PlannedPbi[] {
  const family = linkFamily(work, leftOut);
  const milestones = everything.filter(({ place }) => place.endsWith("milestone"));
  const { groups, rest } = groupByMilestone(family.roots, milestones, leftOut);
  const archived = firstOf(
    everything.filter(({ place }) => place === "archived task"),
    ({ key }) => key,
  );
  const storiesOf = (items: readonly SourceItem[]) =>
    items.map((item) => ({ item, parts: family.descendantsOf(item) }));
  const parents = rest.filter((item) => family.childrenOf(item).length > 0);
  const single = rest.filter((item) => family.childrenOf(item).length === 0);
  return [
    ...[...groups].map(([milestone, items]) =>
      typeof milestone === "string"
        ? { title: milestone, description: "", code: undefined, stories: storiesOf(items) }
        : pbiOf(milestone, storiesOf(items)),
    ),
    ...parents.map((parent) =>
      pbiOf(parent, [
        ...(hasOwnWork(parent) ? [{ item: parent, parts: [] }] : []),
        ...storiesOf(family.childrenOf(parent)),
      ]),
    ),
    ...[...family.orphans].map(([key, items]) => orphanPbi(key, storiesOf(items), archived.get(key), leftOut)),
    collectingPbi("Tasks without a milestone", storiesOf(single.filter(isCurrent))),
    collectingPbi("Completed tasks without a milestone", storiesOf(single.filter((item) => !isCurrent(item)))),
  ];
}

const isCurrent = ({ place }: SourceItem) => place === "task";

/** A parent that has its own criteria, plan or notes is also the first story of its PBI, which keeps its state. */
const hasOwnWork = ({ acceptanceCriteria, plan, notes }: SourceItem) =>
  acceptanceCriteria !== "" || plan !== "" || notes.length > 0;

const pbiOf = ({ id, title, description }: SourceItem, stories: PlannedStory[]) => ({
  title,
  description,
  code: id,
  stories,
});

const collectingPbi = (title: string, stories: PlannedStory[]) => ({
  title,
  description: "",
  code: undefined,
  stories,
});

type Milestone = SourceItem | string;

function groupByMilestone(
  roots: readonly SourceItem[],
  milestones: readonly SourceItem[],
  leftOut: LeftOut,
): { groups: Map<Milestone, SourceItem[]>; rest: SourceItem[] } {
  const groups = new Map<Milestone, SourceItem[]>();
  for (const milestone of milestones) if (milestone.place === "milestone") groups.set(milestone, []);
  const rest: SourceItem[] = [];
  const findMilestone = indexMilestones(milestones);
  for (const item of roots) {
    if (item.milestone === null) {
      rest.push(item);
      continue;
    }
    const milestone = findMilestone(item.milestone) ?? item.milestone;
    if (typeof milestone === "string" && !groups.has(milestone))
      leftOut.add("Notes on files: names a milestone that has no file", 1, item.path);
    append(groups, milestone, item);
  }
  for (const milestone of milestones)
    if (!groups.has(milestone)) leftOut.add("Files: archived, and no task belongs to it", 1, milestone.path);
  return { groups, rest };
}

/** Children of an archived or missing parent stay together in a PBI named after it. */
function orphanPbi(key: string, stories: PlannedStory[], parent: SourceItem | undefined, leftOut: LeftOut): PlannedPbi {
  for (const { item } of stories) leftOut.add("Notes on files: its parent is missing or no current task", 1, item.path);
  return collectingPbi(parent?.title ?? `Subtasks of ${toKey(key)}`, stories);
}

/** Tasks name a milestone by id, by title, or in the older form `M3 - Title`. */
function indexMilestones(milestones: readonly SourceItem[]): (name: string) => SourceItem | undefined {
  const byId = firstOf(milestones, ({ id }) => id.toLowerCase());
  const byTitle = firstOf(milestones, ({ title }) => title.toLowerCase());
  const byKey = firstOf(milestones, ({ key }) => key);
  return (name) => {
    const wanted = name.trim().toLowerCase();
    const [, number = ""] = /^m-?(\d+)\b/.exec(wanted) ?? [];
    return byId.get(wanted) ?? byTitle.get(wanted) ?? byKey.get(number);
  };
}

/** The first item of each name. */
function firstOf(items: readonly SourceItem[], nameOf: (item: SourceItem) => string): Map<string, SourceItem> {
  return new Map(items.toReversed().map((item) => [nameOf(item), item]));
}

/** The tasks of a folder as trees, linked by `parent_task_id`. */
interface Family {
  /** Tasks without a parent, in the order of the folder. */
  roots: SourceItem[];
  /** Tasks whose parent is not among the tasks, by the parent's id. */
  orphans: Map<string, SourceItem[]>;
  childrenOf(item: SourceItem): SourceItem[];
  /** Children, grandchildren and so on. */
  descendantsOf(item: SourceItem): SourceItem[];
}

/** Links children to parents. Duplicate ids and cycles are noted, never dropped. */
function linkFamily(items: readonly SourceItem[], leftOut: LeftOut): Family {
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
  const parentOf = (item: SourceItem) => (item.parentKey === null ? undefined : byKey.get(item.parentKey));
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
