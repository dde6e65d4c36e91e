import type { BacklogTree } from "~/contract/page-data";

/** One visible line of the tree. */
export interface TreeRow {
  kind: "pbi" | "story" | "task";
  id: string;
  code: string;
  title: string;
  status: string;
  /** Statuses of what is below: a PBI's stories, a story's tasks. */
  below: string[];
  open: boolean;
  priority?: number;
  sprint?: string | null;
  sprintId?: string | null;
  hasPr?: boolean;
}

export interface TreeFilter {
  query: string;
  status: string;
  sprint: string;
}

export interface TreeView {
  rows: TreeRow[];
  /** Codes of everything that is open now, or "all". */
  open: string[] | "all";
  total: number;
}

/** Up to so many rows a backlog opens unfolded; larger ones start with their PBIs. */
const smallBacklog = 150;

type Story = BacklogTree["stories"][number];
type Task = BacklogTree["tasks"][number];

/** The lines to show: what is unfolded, or, with a filter, what matches and its parents. */
export function treeRows(
  tree: BacklogTree,
  filter: TreeFilter,
  openParam: string | null,
): TreeView {
  const total = tree.pbis.length + tree.stories.length + tree.tasks.length;
  const open = readOpen(openParam, total);
  const isOpen = (code: string) => open === "all" || open.includes(code);
  const filtering = filter.query !== "" || filter.status !== "" || filter.sprint !== "";
  const storiesOf = groupBy(tree.stories, (story) => story.pbi_id);
  const tasksOf = groupBy(tree.tasks, (task) => task.story_id);
  const sprintCodes = new Map(tree.sprints.map((sprint) => [sprint.id, sprint.code]));
  const matches = matcher(filter);

  const rows: TreeRow[] = [];
  for (const pbi of tree.pbis) {
    const stories = storiesOf.get(pbi.id) ?? [];
    const shown = filtering
      ? stories.filter((story) => matches.story(story, tasksOf.get(story.id) ?? []))
      : stories;
    if (filtering && shown.length === 0 && !matches.pbi(pbi)) continue;
    const unfolded = filtering ? shown.length > 0 : isOpen(pbi.code);
    rows.push({
      kind: "pbi",
      id: pbi.id,
      code: pbi.code,
      title: pbi.title,
      status: pbi.status,
      priority: pbi.priority,
      hasPr: pbi.pr_url !== null,
      below: stories.map((story) => story.status),
      open: unfolded,
    });
    if (!unfolded) continue;
    for (const story of shown) {
      const tasks = tasksOf.get(story.id) ?? [];
      const found = filtering ? tasks.filter((task) => matches.task(task)) : tasks;
      const storyOpen = filtering ? found.length > 0 && filter.query !== "" : isOpen(story.code);
      rows.push({
        kind: "story",
        id: story.id,
        code: story.code,
        title: story.title,
        status: story.status,
        below: tasks.map((task) => task.status),
        open: storyOpen,
        sprintId: story.sprint_id,
        sprint: story.sprint_id ? (sprintCodes.get(story.sprint_id) ?? "closed sprint") : null,
      });
      if (storyOpen) for (const task of found) rows.push(taskRow(task));
    }
  }
  return { rows, open, total };
}

function taskRow(task: Task): TreeRow {
  const { id, code, title, status } = task;
  return { kind: "task", id, code, title, status, below: [], open: false };
}

function readOpen(param: string | null, total: number): string[] | "all" {
  if (param === null) return total <= smallBacklog ? "all" : [];
  if (param === "all") return "all";
  return param.split(",").filter(Boolean);
}

function matcher(filter: TreeFilter) {
  const query = filter.query.toLowerCase();
  const text = (item: { code: string; title: string }) =>
    query === "" ||
    item.code.toLowerCase().includes(query) ||
    item.title.toLowerCase().includes(query);
  const inSprint = (story: Story) =>
    filter.sprint === "" ||
    (filter.sprint === "none" ? story.sprint_id === null : story.sprint_id === filter.sprint);
  const status = (item: { status: string }) =>
    filter.status === "" || item.status === filter.status;
  return {
    pbi: (pbi: { code: string; title: string; status: string }) =>
      filter.sprint === "" && text(pbi) && status(pbi),
    story: (story: Story, tasks: readonly Task[]) =>
      inSprint(story) &&
      ((text(story) && status(story)) || tasks.some((task) => text(task) && status(task))),
    task: (task: Task) => text(task) && status(task),
  };
}

function groupBy<Item>(items: readonly Item[], keyOf: (item: Item) => string): Map<string, Item[]> {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group) group.push(item);
    else groups.set(key, [item]);
  }
  return groups;
}
