import { append } from "../append";
import type { ExportedPbi, ExportedStory } from "../export-document";
import type { CodeBook } from "./code-book";
import type { Conversion } from "./conversion";
import { type Family, linkFamily } from "./family";
import { type SourceItem, toKey } from "./parse-file.server";
import { toPriority } from "./state";
import { toStory } from "./stories";

interface Planning {
  codes: CodeBook;
  family: Family;
  conversion: Conversion;
}

/**
 * Groups the work into PBIs: a milestone with its tasks as stories, a parent without a milestone with its children as
 * stories. The rest is collected in two PBIs, current and completed.
 */
export function planPbis(
  work: readonly SourceItem[],
  milestones: readonly SourceItem[],
  everything: readonly SourceItem[],
  codes: CodeBook,
  conversion: Conversion,
): ExportedPbi[] {
  const planning: Planning = { codes, family: linkFamily(work, conversion.notes), conversion };
  const { groups, rest } = groupByMilestone(planning.family.roots, milestones, conversion);
  const archived = firstOf(
    everything.filter(({ place }) => place === "archived task"),
    ({ key }) => key,
  );
  const parents = rest.filter((item) => planning.family.childrenOf(item).length > 0);
  const single = rest.filter((item) => planning.family.childrenOf(item).length === 0);
  const pbis = [
    ...[...groups].map(([milestone, items]) => milestonePbi(milestone, items, planning)),
    ...parents.map((parent) => parentPbi(parent, planning)),
    ...[...planning.family.orphans].map(([key, items]) =>
      orphanPbi(key, items, archived.get(key), planning),
    ),
    collectingPbi("Tasks without a milestone", single.filter(isCurrent), planning),
    collectingPbi(
      "Completed tasks without a milestone",
      single.filter((item) => !isCurrent(item)),
      planning,
    ),
  ].filter((pbi) => pbi !== null);
  for (const [index, pbi] of pbis.entries()) pbi.sort_order = index + 1;
  return pbis;
}

function isCurrent(item: SourceItem): boolean {
  return item.place === "task";
}

type Milestone = SourceItem | string;

function groupByMilestone(
  roots: readonly SourceItem[],
  milestones: readonly SourceItem[],
  conversion: Conversion,
): { groups: Map<Milestone, SourceItem[]>; rest: SourceItem[] } {
  const groups = new Map<Milestone, SourceItem[]>();
  for (const milestone of milestones)
    if (milestone.place === "milestone") groups.set(milestone, []);
  const rest: SourceItem[] = [];
  const findMilestone = indexMilestones(milestones);
  for (const item of roots) {
    if (item.milestone === null) {
      rest.push(item);
      continue;
    }
    const milestone = findMilestone(item.milestone) ?? item.milestone;
    if (typeof milestone === "string" && !groups.has(milestone)) {
      conversion.notes.push({
        source: item.path,
        note: `names the unknown milestone ${milestone}`,
      });
    }
    append(groups, milestone, item);
  }
  for (const milestone of milestones) {
    if (groups.has(milestone)) continue;
    conversion.skipped.push({
      source: milestone.path,
      reason: "archived, and no task belongs to it",
    });
  }
  return { groups, rest };
}

function milestonePbi(
  milestone: Milestone,
  items: readonly SourceItem[],
  planning: Planning,
): ExportedPbi {
  const { codes, family, conversion } = planning;
  const stories = items.map((item) => toStory(item, family.descendantsOf(item), codes, conversion));
  if (typeof milestone === "string") return toPbi({ code: null, title: milestone, stories });
  const pbi = toPbi({
    code: codes.take("pbi", milestone.id, milestone.path),
    title: milestone.title,
    description: milestone.description,
    stories,
  });
  conversion.mapped.push({ source: milestone.path, as: "pbi", target: pbi });
  return pbi;
}

/** A parent that has its own criteria, plan or notes is also the first story of its PBI, which keeps its state. */
function parentPbi(parent: SourceItem, planning: Planning): ExportedPbi {
  const { codes, family, conversion } = planning;
  const hasOwnWork =
    parent.acceptanceCriteria !== "" || parent.plan !== "" || parent.notes.length > 0;
  const stories = hasOwnWork ? [toStory(parent, [], codes, conversion)] : [];
  for (const child of family.childrenOf(parent)) {
    stories.push(toStory(child, family.descendantsOf(child), codes, conversion));
  }
  const pbi = toPbi({
    code: codes.take("pbi", parent.id, parent.path),
    title: parent.title,
    description: parent.description,
    priority: toPriority(parent.priority),
    created_at: parent.createdAt,
    stories,
  });
  conversion.mapped.push({ source: parent.path, as: "pbi", target: pbi });
  return pbi;
}

/** Children of an archived or missing parent stay together in a PBI named after it. */
function orphanPbi(
  key: string,
  items: readonly SourceItem[],
  parent: SourceItem | undefined,
  { codes, family, conversion }: Planning,
): ExportedPbi {
  for (const item of items) {
    const where = parent === undefined ? "missing" : `${parent.path}, which is no current task`;
    conversion.notes.push({ source: item.path, note: `its parent ${key} is ${where}` });
  }
  const stories = items.map((item) => toStory(item, family.descendantsOf(item), codes, conversion));
  return toPbi({ code: null, title: parent?.title ?? `Subtasks of ${toKey(key)}`, stories });
}

function collectingPbi(
  title: string,
  items: readonly SourceItem[],
  { codes, conversion }: Planning,
): ExportedPbi | null {
  if (items.length === 0) return null;
  return toPbi({
    code: null,
    title,
    stories: items.map((item) => toStory(item, [], codes, conversion)),
  });
}

function toPbi(pbi: ExportedPbi & { stories: ExportedStory[] }): ExportedPbi {
  const isDone = pbi.stories.length > 0 && pbi.stories.every((story) => story.status === "DONE");
  return { ...pbi, status: isDone ? "DONE" : "READY" };
}

/** Tasks name a milestone by id, by title, or in the older form `M3 - Title`. */
function indexMilestones(
  milestones: readonly SourceItem[],
): (name: string) => SourceItem | undefined {
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
function firstOf(
  items: readonly SourceItem[],
  nameOf: (item: SourceItem) => string,
): Map<string, SourceItem> {
  return new Map(items.toReversed().map((item) => [nameOf(item), item]));
}
