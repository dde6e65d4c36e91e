import { priorityOptions } from "~/features/items/lists/priority";
import type { Label } from "~/nouns/labels/contract";
import type { BoardStory, BoardTask } from "~/nouns/pages/contract";
import { isolated } from "~/ui/isolated";
import type { BoardSettings, Lane } from "./board-settings";

interface Lanes {
  /** In board order, including lanes without cards. */
  lanes: readonly Lane[];
  keyOf: (task: BoardTask) => string;
}

/** Lane key for unassigned. Cannot be the name of a person or worker. */
const nobody = "-";

/** Returns the lanes of a grouped board. Empty lanes are included so that cards can be moved there. */
export function lanesOf(
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
function byAssignee(
  stories: readonly BoardStory[],
  members: readonly { id: string; username: string }[],
): Lanes {
  const people = new Map(members.map(({ id, username }) => [id, personLane(id, username)]));
  for (const { assignee_id: id, assignee_name: name } of stories)
    if (id && !people.has(id)) people.set(id, personLane(id, name));
  const keys = new Map(
    stories.map(({ id, assignee_id }) => [id, people.get(assignee_id ?? "")?.key ?? nobody]),
  );
  return {
    lanes: [
      ...[...people.values()].toSorted((one, other) => one.label.localeCompare(other.label, "en")),
      { key: nobody, label: "Unassigned", sets: { assignee_id: "" } },
    ],
    keyOf: ({ story_id }) => keys.get(story_id) ?? nobody,
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
  const keyOf = ({ worker_name }: BoardTask) => worker_name?.replaceAll(",", " ") ?? nobody;
  const named = new Map(tasks.map((task) => [keyOf(task), task.worker_name]));
  named.delete(nobody);
  const workers = [...named]
    .map(([key, name]) => ({ key, label: name ?? key, sets: null }))
    .toSorted((one, other) => one.label.localeCompare(other.label, "en", { numeric: true }));
  return { lanes: [...workers, { key: nobody, label: "No worker", sets: null }], keyOf };
}

/** Groups by the first label. Labels are set with `l`, not by moving a card. */
function byLabel(labels: readonly Label[]): Lanes {
  return {
    lanes: [
      ...labels.map(({ id, name }) => ({ key: id, label: name, sets: null })),
      { key: nobody, label: "No label", sets: null },
    ],
    keyOf: ({ label_ids: [first] }) => first ?? nobody,
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
