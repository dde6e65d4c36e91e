import { priorityOptions } from "~/features/items/lists/priority";
import { hiddenParts } from "~/features/views/shown-views.server";
import { readCookie } from "~/http/session.server";
import { isolated } from "~/ui/isolated";
import { isHeld } from "~/ui/status";
import { type FilterItem, matchesFilter, readFilter } from "~/wire/item-filter";
import { type Label, labelsNamed } from "~/wire/labels/contract";
import type { BoardStory, BoardTask } from "~/wire/pages/contract";
import {
  type BoardSettings,
  type CardTask,
  cardParts,
  collapsedColumnsCookie,
  columns,
  foldedLanes,
  groupings,
  type Lane,
} from "./board-settings";

interface BoardContents {
  tasks: readonly BoardTask[];
  stories: readonly BoardStory[];
  members?: readonly { id: string; username: string }[];
  labels?: readonly Label[];
}

/** What a page with a board shows of its tasks, and how. */
export function boardPage(request: Request, userId: string, { tasks, stories, members, labels }: BoardContents) {
  const address = new URL(request.url).searchParams;
  const settings = readSettings(address);
  const { hidden, ...view } = viewOf(tasks, stories, settings, userId, members, labels);
  address.delete("q");
  return {
    ...view,
    userId,
    settings,
    collapsed: collapsedColumns(request, userId),
    hasTasks: tasks.length > 0,
    hidden: settings.query === "" ? null : hidden,
    showAll: `?${address}`,
  };
}

/** Returns the board columns this user collapsed, joined by dots. The cookie is scoped to the pages of one product. */
function collapsedColumns(request: Request, userId: string): string {
  const stored = readCookie(request.headers.get("cookie"), collapsedColumnsCookie(userId))?.split(".");
  return columns
    .map(({ status }) => status)
    .filter((status) => stored?.includes(status))
    .join(".");
}

/** Reads from the address what the board shows and in which layout. */
export function readSettings(address: URLSearchParams): BoardSettings {
  return {
    query: address.get("q")?.trim().slice(0, 200) ?? "",
    group: groupings.find(({ value }) => value === address.get("group"))?.value ?? "",
    list: address.get("as") === "list",
    dense: address.get("dense") === "1",
    hide: hiddenParts(address, cardParts),
    fold: foldedLanes(address).join(","),
  };
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
  const named: readonly CardTask[] = tasks.map((task) => ({
    ...task,
    labels: labelsNamed(labels, task.label_ids),
    assignee_name: nameOf(task),
  }));
  const shown = named.filter((task) => matchesFilter(filter, itemOf(task), me));
  if (settings.group === "") return { tasks: shown, hidden: tasks.length - shown.length };
  const { lanes, keyOf } = lanesOf(settings.group, tasks, stories, members, labels);
  const cards = shown.map((task) => ({ ...task, group: keyOf(task) }));
  const positions = new Map(lanes.map(({ key }, index) => [key, index]));
  const positionOf = ({ group = "" }: CardTask) => positions.get(group) ?? 0;
  const filled = new Set(cards.map(({ group }) => group));
  return {
    tasks: cards.toSorted((one, other) => positionOf(one) - positionOf(other)),
    // Hidden tasks are counted; lanes emptied by the filter are left out.
    lanes: settings.query === "" ? lanes : lanes.filter(({ key }) => filled.has(key)),
    hidden: tasks.length - shown.length,
  };
}

function itemOf(task: CardTask): FilterItem {
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
    assignee: [task.assignee_id ?? "", task.assignee_name ?? ""].filter(Boolean),
    labels: task.labels?.map(({ name }) => name) ?? [],
    story: task.story_code,
    worker: task.worker_name ?? undefined,
    is: is.filter(Boolean),
  };
}

type Lanes = { lanes: readonly Lane[]; keyOf: (task: BoardTask) => string };

/** Lane key for unassigned. Cannot be the name of a person or worker. */
const noOne = "-";

/** Returns the lanes of a grouped board. Empty lanes are included so that cards can be moved there. */
function lanesOf(
  group: Exclude<BoardSettings["group"], "">,
  tasks: readonly BoardTask[],
  stories: readonly BoardStory[],
  members: readonly { id: string; username: string }[],
  labels: readonly Label[],
): Lanes {
  if (group === "label") return byLabel(labels);
  if (group === "story") return byStory(stories);
  if (group === "assignee") return byAssignee(stories, members);
  if (group === "worker") return byWorker(tasks);
  return byPriority(tasks);
}

function byStory(stories: readonly BoardStory[]): Lanes {
  return {
    lanes: stories.map(({ id, code, title }) => ({
      key: code,
      label: `${code} ${isolated(title)}`,
      sets: { story_id: id },
    })),
    keyOf: ({ story_code }) => story_code,
  };
}

/** Groups by the story's assignee; tasks have the assignee of their story. */
function byAssignee(stories: readonly BoardStory[], members: readonly { id: string; username: string }[]): Lanes {
  const people = new Map(members.map(({ id, username }) => [id, personLane(id, username)]));
  for (const { assignee_id: id, assignee_name: name } of stories)
    if (id && !people.has(id)) people.set(id, personLane(id, name));
  const keys = new Map(stories.map(({ id, assignee_id }) => [id, people.get(assignee_id ?? "")?.key ?? noOne]));
  return {
    lanes: [
      ...[...people.values()].toSorted((one, other) => one.label.localeCompare(other.label, "en")),
      { key: noOne, label: "Unassigned", sets: { assignee_id: "" } },
    ],
    keyOf: ({ story_id }) => keys.get(story_id) ?? noOne,
  };
}

const personLane = (id: string, name: string | null): Lane => ({
  key: name ?? id,
  label: name ?? "Former member",
  sets: { assignee_id: id },
});

/** Groups by worker. Workers claim tasks themselves, so no one can move a card into these lanes. */
function byWorker(tasks: readonly BoardTask[]): Lanes {
  // Lane names are separated by commas in the address.
  const keyOf = ({ worker_name }: BoardTask) => worker_name?.replaceAll(",", " ") ?? noOne;
  const named = new Map(tasks.map((task) => [keyOf(task), task.worker_name]));
  named.delete(noOne);
  const workers = [...named]
    .map(([key, name]) => ({ key, label: name ?? key, sets: null }))
    .toSorted((one, other) => one.label.localeCompare(other.label, "en", { numeric: true }));
  return { lanes: [...workers, { key: noOne, label: "No worker", sets: null }], keyOf };
}

/** Groups by the first label. Labels are set with `l`, not by moving a card. */
function byLabel(labels: readonly Label[]): Lanes {
  return {
    lanes: [
      ...labels.map(({ id, name }) => ({ key: id, label: name, sets: null })),
      { key: noOne, label: "No label", sets: null },
    ],
    keyOf: ({ label_ids: [first] }) => first ?? noOne,
  };
}

function byPriority(tasks: readonly BoardTask[]): Lanes {
  const labels = new Map(priorityOptions().map(({ value, label }) => [value, label]));
  for (const { priority } of tasks) {
    const key = String(priority);
    if (!labels.has(key)) labels.set(key, `Priority ${key}`);
  }
  return {
    lanes: [...labels]
      .map(([key, label]) => ({ key, label, sets: { priority: key } }))
      .toSorted((one, other) => Number(one.key) - Number(other.key)),
    keyOf: ({ priority }) => String(priority),
  };
}
