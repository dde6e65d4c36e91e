import type { ExportedStory, ExportedTask } from "../export-document";
import type { CodeBook } from "./code-book";
import type { Conversion, Mapping } from "./conversion";
import { type SourceItem, toKey } from "./parse-file.server";

/** A possible end of a dependency: stories depend on stories and tasks on tasks, by code. */
interface Waiting {
  story: ExportedStory | undefined;
  task: ExportedTask | undefined;
  /** The story itself, or the story of the task. */
  within: ExportedStory | undefined;
  as: string;
}

/**
 * Converts `dependencies` to `blocked_by` and returns their number. Each that cannot be kept is noted with the reason.
 */
export function linkDependencies(
  items: readonly SourceItem[],
  codes: CodeBook,
  { document: { pbis }, mapped, notes }: Conversion,
): number {
  const byPath = indexTargets(pbis, mapped);
  const find = indexNames(items);
  const edges = new Edges();
  for (const item of items) {
    const blocked = byPath.get(item.path);
    const linked = new Set<Waiting>();
    for (const id of item.dependencies) {
      const named = find(id);
      const blocker = byPath.get(named?.path ?? "");
      // One task has many spellings: 1, 01, task-1.
      if (blocker && linked.has(blocker)) continue;
      if (blocker) linked.add(blocker);
      if (named && blocker?.task && blocked?.task && !blocked.story)
        giveCode(blocker.task, named, codes);
      const reason = link(blocked, blocker, edges);
      if (reason !== null)
        notes.push({ source: item.path, note: `waits for ${id}: left out, ${reason}` });
    }
  }
  return edges.finish();
}

/** A story's own task gets a code only when something depends on it. */
function giveCode(task: ExportedTask, { id, path }: SourceItem, codes: CodeBook): void {
  task.code ??= codes.take("task", id, path);
}

/**
 * Finds an item by prefix and number, or by number alone. Milestones and drafts count from 1 as well, so a bare number
 * always means a task, current ones before archived ones.
 */
function indexNames(items: readonly SourceItem[]): (id: string) => SourceItem | undefined {
  const byName = new Map<string, SourceItem>();
  const byNumber = new Map<string, SourceItem>();
  for (const item of items.toSorted((a, b) => rankOf(a) - rankOf(b))) {
    if (!byName.has(nameOf(item.id))) byName.set(nameOf(item.id), item);
    if (rankOf(item) < taskRanks.length && !byNumber.has(item.key)) byNumber.set(item.key, item);
  }
  return (id) => byName.get(nameOf(id)) ?? byNumber.get(toKey(id));
}

/** Places of tasks, in search order. */
const taskRanks: readonly SourceItem["place"][] = ["task", "completed", "archived task"];

function rankOf({ place }: SourceItem): number {
  const rank = taskRanks.indexOf(place);
  return rank < 0 ? taskRanks.length : rank;
}

/** `BACK-02` and `back-2` are the same name, `draft-2` is another. */
function nameOf(id: string): string {
  const prefix = /^[A-Za-z]+-(?=\d)/.exec(id.trim())?.[0] ?? "";
  return prefix.toLowerCase() + toKey(id);
}

function indexTargets(
  pbis: Conversion["document"]["pbis"],
  mapped: readonly Mapping[],
): Map<string, Waiting> {
  const stories = new Map<object, ExportedStory>();
  const tasks = new Map<object, { task: ExportedTask; of: ExportedStory }>();
  for (const story of (pbis ?? []).flatMap((pbi) => pbi.stories ?? [])) {
    stories.set(story, story);
    for (const task of story.tasks ?? []) tasks.set(task, { task, of: story });
  }
  const byPath = new Map<string, Waiting>();
  for (const { source, as, target } of mapped) {
    const known = byPath.get(source);
    const task = tasks.get(target);
    const story = stories.get(target);
    byPath.set(source, {
      story: known?.story ?? story,
      task: known?.task ?? task?.task,
      within: known?.within ?? story ?? task?.of,
      as: known?.as ?? as,
    });
  }
  return byPath;
}

/** Adds the dependencies of one on another; returns why there can be none. */
function link(
  blocked: Waiting | undefined,
  blocker: Waiting | undefined,
  edges: Edges,
): string | null {
  if (blocked === undefined || blocker === undefined) return "there is no such task in the folder";
  if (blocked.as === "idea") return "because it became an idea, and ideas wait for nothing";
  if (blocker.as === "idea") return "because that became an idea";
  if (!blocked.within || !blocker.within) return "because one of them is a PBI here";
  if (blocked.story && blocker.story) return edges.add([blocked.story], [blocker.story]);
  if (blocked.within === blocker.within && (blocked.story || blocker.story)) {
    return "because one is a part of the other";
  }
  return edges.add(tasksOf(blocked), tasksOf(blocker));
}

function tasksOf({ story, task }: Waiting): ExportedTask[] {
  if (story) return story.tasks ?? [];
  return task ? [task] : [];
}

type Coded = ExportedStory | ExportedTask;

/** Dependencies of a whole folder: two stories with many tasks make the product of their numbers. */
const mostEdges = 20_000;

/** Collects who waits for what, so that each is written once. */
class Edges {
  readonly #codes = new Map<Coded, Set<string>>();
  #count = 0;

  /** Returns why nothing was added, or null. */
  add(waiting: readonly Coded[], awaited: readonly Coded[]): string | null {
    if (this.#count + waiting.length * awaited.length > mostEdges)
      return `because there are more than ${mostEdges} dependencies`;
    const codes = awaited.flatMap(({ code }) => code ?? []);
    if (codes.length === 0) return "because that has no code of its own";
    for (const one of waiting) {
      const known = this.#codes.get(one) ?? new Set(one.blocked_by);
      this.#count -= known.size;
      for (const code of codes) known.add(code);
      this.#count += known.size;
      this.#codes.set(one, known);
    }
    return null;
  }

  /** Writes them, and returns their number. */
  finish(): number {
    for (const [one, codes] of this.#codes) one.blocked_by = [...codes];
    return this.#count;
  }
}
