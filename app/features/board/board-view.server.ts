import { type FilterItem, matchesFilter, readFilter } from "~/contract/item-filter";
import { type Label, labelsNamed } from "~/nouns/labels/contract";
import type { BoardStory, BoardTask } from "~/nouns/pages/contract";
import { isHeld } from "~/ui/status";
import {
  type BoardSettings,
  type CardTask,
  cardParts,
  groupings,
  type Lane,
} from "./board-settings";
import { foldedLanes } from "./folded-lanes";
import { lanesOf } from "./lanes.server";

/** Reads from the address what the board shows and in which layout. */
export function readSettings(address: URLSearchParams): BoardSettings {
  const left = address.getAll("hide").join(",").split(",");
  return {
    query: address.get("q")?.trim().slice(0, 200) ?? "",
    group: groupings.find(({ value }) => value === address.get("group"))?.value ?? "",
    list: address.get("as") === "list",
    dense: address.get("dense") === "1",
    hide: cardParts
      .map(({ value }) => value)
      .filter((value) => left.includes(value))
      .join(" "),
    fold: foldedLanes(address).join(","),
  };
}

/** Returns the same address without the filter. */
export function withoutFilter(address: URLSearchParams): string {
  const next = new URLSearchParams(address);
  next.delete("q");
  return `?${next}`;
}

/** Returns the tasks to show, in lane order, each with its lane. */
export function viewOf(
  tasks: readonly BoardTask[],
  stories: readonly BoardStory[],
  settings: BoardSettings,
  me: string,
  members: readonly { id: string; username: string }[] = [],
  labels: readonly Label[] = [],
): { tasks: readonly CardTask[]; lanes?: readonly Lane[]; hidden: number } {
  const filter = readFilter(settings.query);
  const storyOf = new Map(stories.map((story) => [story.id, story]));
  const nameOf = (task: BoardTask) => storyOf.get(task.story_id)?.assignee_name ?? null;
  const labelled: readonly CardTask[] = tasks.map((task) => ({
    ...task,
    labels: labelsNamed(labels, task.label_ids),
  }));
  const shown = labelled.filter((task) => matchesFilter(filter, itemOf(task, nameOf(task)), me));
  if (settings.group === "") return { tasks: shown, hidden: tasks.length - shown.length };
  const { lanes, keyOf } = lanesOf(settings.group, tasks, stories, members, labels);
  const cards = shown.map((task) => ({ ...task, group: keyOf(task) }));
  const place = new Map(lanes.map(({ key }, index) => [key, index]));
  const placeOf = ({ group = "" }: CardTask) => place.get(group) ?? 0;
  const held = new Set(cards.map(({ group }) => group));
  return {
    tasks: cards.toSorted((one, other) => placeOf(one) - placeOf(other)),
    // Hidden tasks are counted; lanes emptied by the filter are left out.
    lanes: settings.query === "" ? lanes : lanes.filter(({ key }) => held.has(key)),
    hidden: tasks.length - shown.length,
  };
}

function itemOf(task: CardTask, assignee: string | null): FilterItem {
  const is = [
    task.open_questions > 0 ? "waiting" : "",
    isHeld(task.job_status) ? "running" : "",
    task.has_plan ? "planned" : "unplanned",
  ];
  return {
    code: task.code,
    title: task.title,
    status: task.status,
    priority: task.priority,
    assignee: [task.assignee_id ?? "", assignee ?? ""].filter(Boolean),
    labels: task.labels?.map(({ name }) => name) ?? [],
    story: task.story_code,
    worker: task.worker_name ?? undefined,
    is: is.filter(Boolean),
  };
}
