import { type StateLine, stateLine } from "~/features/items/state-line";
import { matchesFilter, readFilter } from "~/wire/item-filter";
import { type Label, labelsNamed } from "~/wire/labels/contract";
import type { BacklogTree } from "~/wire/pages/contract";

export interface TreeRow {
  kind: "pbi" | "story" | "task";
  id: string;
  code: string;
  title: string;
  status: string;
  /** Number of done children, if there are any: stories of a PBI, tasks of a story. */
  done?: number;
  total?: number;
  open?: boolean | undefined;
  /** Code of an open sprint, or the ID of a past one. */
  sprint?: string | undefined;
  pastSprintId?: string | undefined;
  hasPr?: true | undefined;
  labels?: readonly Label[] | undefined;
  /** State of the work, if it says more than the status. */
  state?: StateLine | undefined;
}

export interface TreeFilter {
  query: string;
  status: string;
  sprint: string;
  /** Also shows done stories and PBIs. */
  done: boolean;
}

export interface TreeView {
  rows: TreeRow[];
  /** Whether rows are open unless listed in `shut`; otherwise closed unless listed in `open`. */
  isAllOpen: boolean;
  isFiltered: boolean;
  total: number;
  /** Number of done stories that are hidden and would match. */
  hiddenDone: number;
}

/** Who looks, and the members' names by id, where the filter may ask for them. */
type Reader = { me: string; names: ReadonlyMap<string, string> };

/** Backlogs up to this many rows start unfolded; larger ones show only PBIs. */
const smallBacklog = 150;

type Story = BacklogTree["stories"][number];
type Task = BacklogTree["tasks"][number];

/** Returns the rows to show: the unfolded ones, or with a filter the matches and their parents. */
export function treeRows(
  whole: BacklogTree,
  filter: TreeFilter,
  { open, collapsed }: { open: string | null; collapsed: string | null },
  { me, names }: Reader,
): TreeView {
  const isFiltered = filter.query !== "" || filter.status !== "" || filter.sprint !== "";
  const tree = filter.done || asksForDone(filter) ? whole : withoutDone(whole);
  const total = tree.pbis.length + tree.stories.length + tree.tasks.length;
  const isAllOpen = open === null ? total <= smallBacklog : open === "all";
  const named = new Set(((isAllOpen ? collapsed : open) ?? "").split(","));
  const isOpen = (code: string) => named.has(code) !== isAllOpen;
  const storiesOf = groupBy(tree.stories, (story) => story.pbi_id);
  const allStoriesOf = tree === whole ? storiesOf : groupBy(whole.stories, (story) => story.pbi_id);
  const tasksOf = groupBy(tree.tasks, (task) => task.story_id);
  const sprintCodes = new Map(tree.sprints.map((sprint) => [sprint.id, sprint.code]));
  const labelsOf = ({ label_ids }: { label_ids: readonly string[] }) =>
    label_ids.length === 0 ? undefined : labelsNamed(tree.labels, label_ids);
  const sprintOf = ({ sprint_id }: Story) => {
    if (sprint_id === null) return undefined;
    const sprint = sprintCodes.get(sprint_id);
    return sprint === undefined ? { pastSprintId: sprint_id } : { sprint };
  };
  const states = new Map(tree.states.map((state) => [state.task_id, state]));
  const stateOf = ({ id, status }: Task) => stateOfRow(status, states.get(id));
  const matches = matcher(filter, sprintCodes, { me, names }, labelsOf);

  const rows: TreeRow[] = [];
  for (const pbi of tree.pbis) {
    const stories = storiesOf.get(pbi.id) ?? [];
    const shown = isFiltered ? stories.filter((story) => matches.story(story, tasksOf.get(story.id) ?? [])) : stories;
    if (isFiltered && shown.length === 0 && !matches.pbi(pbi)) continue;
    const unfolded = isFiltered ? shown.length > 0 : isOpen(pbi.code);
    rows.push({
      kind: "pbi",
      id: pbi.id,
      code: pbi.code,
      title: pbi.title,
      status: pbi.status,
      hasPr: pbi.pr_url === null ? undefined : true,
      ...countDone(allStoriesOf.get(pbi.id) ?? []),
      open: unfolded,
    });
    if (!unfolded) continue;
    for (const story of shown) {
      const tasks = tasksOf.get(story.id) ?? [];
      const found = isFiltered ? tasks.filter((task) => matches.task(task, story)) : tasks;
      const storyOpen = isFiltered ? found.length > 0 && filter.query !== "" : isOpen(story.code);
      rows.push({
        kind: "story",
        id: story.id,
        code: story.code,
        title: story.title,
        status: story.status,
        ...countDone(tasks),
        open: tasks.length > 0 ? storyOpen : undefined,
        labels: labelsOf(story),
        ...sprintOf(story),
      });
      if (storyOpen)
        for (const task of found) rows.push({ ...taskRow(task), labels: labelsOf(task), state: stateOf(task) });
    }
  }
  const hidden = tree === whole ? [] : whole.stories.filter(({ status }) => status === "done");
  const tasksOfAll = groupBy(hidden.length > 0 && isFiltered ? whole.tasks : [], (task) => task.story_id);
  const hiddenDone = isFiltered
    ? hidden.filter((story) => matches.story(story, tasksOfAll.get(story.id) ?? [])).length
    : hidden.length;
  return { rows, isAllOpen, isFiltered, total, hiddenDone };
}

/** Whether the filter names a status, which done items may have. */
function asksForDone({ query, status }: TreeFilter): boolean {
  return status === "done" || readFilter(query).terms.some(({ field }) => field === "status");
}

/** Removes done stories and PBIs: a backlog shows what is left to do. */
function withoutDone(tree: BacklogTree): BacklogTree {
  const stories = tree.stories.filter(({ status }) => status !== "done");
  if (stories.length === tree.stories.length) return tree;
  const left = new Set(stories.map(({ id }) => id));
  return {
    ...tree,
    pbis: tree.pbis.filter(({ status }) => status !== "done"),
    stories,
    tasks: tree.tasks.filter(({ story_id }) => left.has(story_id)),
  };
}

/** Rows say the same as cards, except missing plans: those matter for runs, and most tasks in a backlog have none. */
function stateOfRow(status: string, known: BacklogTree["states"][number] | undefined): StateLine | undefined {
  return (known && stateLine({ ...known, status, has_plan: true })) ?? undefined;
}

function taskRow(task: Task): TreeRow {
  const { id, code, title, status } = task;
  return { kind: "task", id, code, title, status };
}

function countDone(items: readonly { status: string }[]) {
  if (items.length === 0) return undefined;
  return { total: items.length, done: items.filter(({ status }) => status === "done").length };
}

function matcher(
  filter: TreeFilter,
  sprintCodes: ReadonlyMap<string, string>,
  { me, names }: Reader,
  labelsOf: (item: Story | Task) => readonly Label[] | undefined,
) {
  const typed = readFilter(filter.query);
  const inSprint = (story: Story) =>
    filter.sprint === "" ||
    (filter.sprint === "none" ? story.sprint_id === null : sprintCodes.get(story.sprint_id ?? "") === filter.sprint);
  const status = (item: { status: string }) => filter.status === "" || item.status === filter.status;
  const ofStory = ({ assignee_id, sprint_id, code }: Story) => ({
    assignee: assignee_id === null ? [] : [assignee_id, names.get(assignee_id) ?? ""],
    sprint: sprint_id === null ? undefined : sprintCodes.get(sprint_id),
    story: code,
  });
  const named = (item: Story | Task) => ({ labels: labelsOf(item)?.map(({ name }) => name) ?? [] });
  const task = (item: Task, story: Story) =>
    matchesFilter(typed, { ...item, ...named(item), ...ofStory(story) }, me) && status(item);
  return {
    pbi: (pbi: BacklogTree["pbis"][number]) => filter.sprint === "" && matchesFilter(typed, pbi, me) && status(pbi),
    story: (story: Story, tasks: readonly Task[]) =>
      inSprint(story) &&
      ((matchesFilter(typed, { ...story, ...named(story), ...ofStory(story) }, me) && status(story)) ||
        tasks.some((each) => task(each, story))),
    task,
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
