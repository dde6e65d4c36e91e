import type { ExportedStory, ExportedTask } from "~/contract/export-document";
import type { Conversion, Mapping } from "./conversion";
import { type SourceItem, toKey } from "./parse-file.server";

/** What can wait here: stories for stories and tasks for tasks, each known by a code. */
interface Waiting {
  story: ExportedStory | undefined;
  task: ExportedTask | undefined;
  as: string;
}

/** Turns `dependencies` into `blocked_by`; each that cannot be kept is noted with the reason. */
export function linkDependencies(
  items: readonly SourceItem[],
  pbis: Conversion["document"]["pbis"],
  conversion: Conversion,
): number {
  const found = new Map<string, Waiting>();
  const byPath = indexTargets(pbis, conversion.mapped);
  for (const item of items) {
    const waiting = byPath.get(item.path);
    if (waiting && !found.has(item.key)) found.set(item.key, waiting);
  }
  let linked = 0;
  for (const item of items) {
    const blocked = byPath.get(item.path);
    for (const id of item.dependencies) {
      const problem = link(blocked, found.get(toKey(id)));
      if (problem === null) linked++;
      else
        conversion.notes.push({ source: item.path, note: `waits for ${id}: left out, ${problem}` });
    }
  }
  return linked;
}

function indexTargets(
  pbis: Conversion["document"]["pbis"],
  mapped: readonly Mapping[],
): Map<string, Waiting> {
  const stories = new Map<object, ExportedStory>();
  const tasks = new Map<object, ExportedTask>();
  for (const story of (pbis ?? []).flatMap((pbi) => pbi.stories ?? [])) {
    stories.set(story, story);
    for (const task of story.tasks ?? []) tasks.set(task, task);
  }
  const byPath = new Map<string, Waiting>();
  for (const { source, as, target } of mapped) {
    const known = byPath.get(source);
    byPath.set(source, {
      story: known?.story ?? stories.get(target),
      task: known?.task ?? tasks.get(target),
      as: known?.as ?? as,
    });
  }
  return byPath;
}

/** Null when it is linked, else why it cannot be. */
function link(blocked: Waiting | undefined, blocker: Waiting | undefined): string | null {
  if (blocked === undefined || blocker === undefined) return "there is no such task in the folder";
  if (blocked.as === "idea") return "because it became an idea, and ideas wait for nothing";
  if (blocker.as === "idea") return "because that became an idea";
  if (blocked.story && blocker.story) return add(blocked.story, blocker.story.code);
  if (blocked.story || blocker.story)
    return "because one is a story here and the other a task of one";
  if (blocked.task && blocker.task) return add(blocked.task, blocker.task.code);
  return "because one of them is a PBI here";
}

function add(target: ExportedStory | ExportedTask, code: string | null | undefined): string | null {
  if (code === null || code === undefined) return "because that has no code of its own";
  target.blocked_by = [...new Set([...(target.blocked_by ?? []), code])];
  return null;
}
