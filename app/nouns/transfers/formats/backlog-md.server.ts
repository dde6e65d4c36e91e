import { parse as parseYaml } from "yaml";
import { z } from "zod";
import { ContractError } from "~/wire/errors";
import { type Item, readItems, readLine, stateOfBox } from "~/wire/transfers/boxes";
import type { ImportDraft } from "~/wire/transfers/contract";
import { Draft, type StoryFields } from "~/wire/transfers/draft";
import { toState, type WorkState } from "~/wire/transfers/state";
import { append, take } from "../append";
import { rootsOf, withCriteria } from "./family";
import { decodeText, type Folder, readFolder, rootOf, type UploadedFile } from "./folder.server";
import { keyOf, readTaskFile, type TaskFile } from "./read-task-file.server";

const inTasks = /^((?:.*\/)?)(?:tasks|completed|drafts|milestones)\/[^/]+\.md$/;

/** A zip or files. Milestones become PBIs, tasks stories, subtasks tasks; drafts ideas, dropped tasks archived ones. */
export function readBacklogMd(files: readonly UploadedFile[]): ImportDraft {
  const draft = new Draft("backlog-md", { id: "own-1", isFirst: true });
  // Files uploaded one by one are tasks.
  const placed = files.map(({ name, bytes }) => ({ name: name.includes("/") ? name : `tasks/${name}`, bytes }));
  const folder = readFolder(placed, draft.leftOut);
  const root = rootOf(folder, inTasks);
  if (root === undefined)
    throw new ContractError(
      422,
      "This has no Backlog.md tasks. Send the folder that contains tasks/, usually backlog.",
    );
  const items = itemsOf(draft, folder, root);
  addStories(draft, items);
  for (const item of items) if (!isWork(item) && !isMilestone(item)) addIdea(draft, item);
  draft.definitionOfDone = definitionOfDone(folder, root);
  return draft.finish();
}

function itemsOf({ leftOut }: Draft, folder: Folder, root: string): TaskFile[] {
  return [...folder].flatMap(([whole, bytes]) => {
    const path = whole.slice(root.length);
    if (!whole.startsWith(root) || /^config\.ya?ml$/.test(path)) return [];
    const item = readTaskFile(path, bytes);
    if (typeof item !== "string") return [item];
    leftOut.add(`Files: ${item}`, 1, path);
    return [];
  });
}

const isCurrent = ({ folder }: TaskFile) => folder === "tasks";
const isCompleted = ({ folder }: TaskFile) => folder === "completed";
const isMilestone = ({ folder }: TaskFile) => folder.endsWith("milestones");

const isWork = (item: TaskFile) => isCompleted(item) || (isCurrent(item) && toState(item.status) !== "dropped");

function addStories(draft: Draft, items: readonly TaskFile[]): void {
  const find = indexNames(items);
  const stories = storiesOf(draft, items);
  const ids = idsOf(stories);
  const fieldsOf = (item: TaskFile) => ({
    ...item,
    id: ids.get(item) ?? item.id,
    code: item.id,
    blocked_by: item.dependencies.map((name) => {
      const blocker = find(name);
      return (blocker && ids.get(blocker)) ?? name;
    }),
    created_at: item.created_date,
    state: stateOf(draft, item),
  });
  for (const { pbi, item, parts } of stories)
    draft.add(pbi, {
      ...fieldsOf(item),
      ...readCriteria(draft, item.acceptance_criteria),
      log: [item, ...parts].flatMap(logOf),
      tasks: parts.map((part) => withCriteria(fieldsOf(part))),
    });
  for (const item of items)
    if (isWork(item) && !ids.has(item)) draft.leftOut.add("Dependencies of PBIs", item.dependencies.length, item.path);
}

/** Milestones with their tasks, then parents with their children; others in two PBIs, current and completed. */
function storiesOf(draft: Draft, items: readonly TaskFile[]) {
  const { roots, orphans, children } = linkFamily(draft, items.filter(isWork));
  const stories: { pbi: string; item: TaskFile; parts: TaskFile[] }[] = [];
  const add = (pbi: TaskFile | string, tops: readonly TaskFile[]) => {
    const { title, description, id } = typeof pbi === "string" ? { title: pbi, description: "", id: undefined } : pbi;
    if (id || tops.length > 0) draft.describe(title, description, id);
    for (const item of tops) stories.push({ pbi: title, item, parts: takeBelow(item, children) });
  };
  for (const [milestone, tops] of groupByMilestone(draft, items, roots)) add(milestone, tops);
  const rest = roots.filter(({ milestone }) => milestone === null);
  const single = rest.filter((item) => !children.has(item));
  for (const parent of rest.filter((item) => children.has(item))) {
    const tops = take(children, parent);
    // With its own criteria, plan or notes it is also the first story of its PBI, which keeps its state.
    add(parent, parent.sections.length > 0 ? [parent, ...tops] : tops);
  }
  const places = firstOf(items, ({ folder, key }) => `${folder}/${key}`);
  for (const [key, tops] of orphans) {
    add(places.get(`archive/tasks/${key}`)?.title ?? `Subtasks of ${key}`, tops);
    for (const { path } of tops) draft.leftOut.add("Notes on files: its parent is missing or no current task", 1, path);
  }
  add("Tasks without a milestone", single.filter(isCurrent));
  add("Completed tasks without a milestone", single.filter(isCompleted));
  return stories;
}

/** Takes out the subtasks of every depth, each before its own ones. */
function takeBelow(item: TaskFile, children: Map<TaskFile, TaskFile[]>): TaskFile[] {
  const found: TaskFile[] = [];
  const waiting = take(children, item).reverse();
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    found.push(next);
    waiting.push(...take(children, next).reverse());
  }
  return found;
}

/** Milestones and their tasks. One without a file is a name. */
function groupByMilestone({ leftOut }: Draft, items: readonly TaskFile[], roots: readonly TaskFile[]) {
  const milestones = items.filter(isMilestone);
  const live = milestones.filter(({ folder }) => folder === "milestones");
  const groups = new Map<TaskFile | string, TaskFile[]>(live.map((milestone) => [milestone, []]));
  // Tasks name a milestone by id, by title, or in the older form `M3 - Title`.
  const known = new Map([
    ...firstOf(milestones, ({ key }) => `m-${key}`),
    ...firstOf(milestones, ({ title }) => title.toLowerCase()),
    ...firstOf(milestones, ({ id }) => id.toLowerCase()),
  ]);
  for (const item of roots) {
    if (item.milestone === null) continue;
    const wanted = item.milestone.toLowerCase();
    const milestone = known.get(wanted) ?? known.get(wanted.replace(/^m-?(\d+)\b.*/s, "m-$1")) ?? item.milestone;
    if (typeof milestone === "string" && !groups.has(milestone))
      leftOut.add("Notes on files: names a milestone that has no file", 1, item.path);
    append(groups, milestone, item);
  }
  for (const milestone of milestones)
    if (!groups.has(milestone)) leftOut.add("Files: archived, and no task belongs to it", 1, milestone.path);
  return groups;
}

function firstOf(items: readonly TaskFile[], nameOf: (item: TaskFile) => string): Map<string, TaskFile> {
  return new Map(items.toReversed().map((item) => [nameOf(item), item]));
}

/** Links children to parents. Duplicate ids and cycles are noted, never dropped. */
function linkFamily({ leftOut }: Draft, work: readonly TaskFile[]) {
  const byKey = firstOf(work, ({ key }) => key);
  for (const { key, path } of work) {
    const first = byKey.get(key)?.path ?? path;
    if (first !== path) leftOut.add(`Notes on files: same id as ${first}`, 1, path);
  }
  const parentOf = ({ parent_task_id: key }: TaskFile) => (key === null ? undefined : byKey.get(key));
  const rootOf = rootsOf(parentOf);
  const roots: TaskFile[] = [];
  /** By the id of a parent that is not there. */
  const orphans = new Map<string, TaskFile[]>();
  const children = new Map<TaskFile, TaskFile[]>();
  for (const item of work) {
    const parent = parentOf(item);
    const isCircular = parent !== undefined && rootOf(item) === item;
    if (isCircular) leftOut.add("Notes on files: its own ancestor, so read without a parent", 1, item.path);
    if (isCircular || item.parent_task_id === null) roots.push(item);
    else if (parent) append(children, parent, item);
    else append(orphans, item.parent_task_id, item);
  }
  return { roots, orphans, children };
}

/** By prefix and number; a number alone means a task, as milestones count from 1 as well, and a current one first. */
function indexNames(items: readonly TaskFile[]): (id: string) => TaskFile | undefined {
  const tasks = ["tasks", "completed", "archive/tasks"].flatMap((place) =>
    items.filter(({ folder }) => folder === place),
  );
  const nameOf = (id: string) => (/^[A-Za-z]+-(?=\d)/.exec(id.trim())?.[0] ?? "").toLowerCase() + keyOf(id);
  const byName = firstOf([...tasks, ...items], ({ id }) => nameOf(id));
  const byNumber = firstOf(tasks, ({ key }) => key);
  return (id) => byName.get(nameOf(id)) ?? byNumber.get(keyOf(id));
}

/** Ids by which items are imported: the own one where that is a code and free, otherwise the title. Parts are named below their story. */
function idsOf(stories: ReturnType<typeof storiesOf>): ReadonlyMap<TaskFile, string> {
  const taken = new Set<string>();
  const ids = new Map<TaskFile, string>();
  for (const { item, parts } of stories)
    for (const each of [item, ...parts]) {
      const isFree = /^[A-Za-z0-9._-]{1,30}$/.test(each.id) && !taken.has(each.id);
      const own = isFree ? each.id : each.title;
      taken.add(each.id);
      ids.set(each, each === item ? own : `${ids.get(item)}/${own}`);
    }
  return ids;
}

/** Files in `completed/` are done, no matter what their front matter says. */
function stateOf(draft: Draft, item: TaskFile): WorkState {
  const { status: word, path } = item;
  const named = toState(word);
  const told = isCompleted(item) ? "DONE" : undefined;
  if (told && named !== told) draft.leftOut.add(`Notes on files: in completed/, but "${word}": read as done`, 1, path);
  return draft.readState({ word, told, isKnown: named !== undefined }) ?? "TO_DO";
}

const usual = /^\s*(?:[-*+•]|\d{1,3}[.)])[ \t]+\[[ xX]\][ \t]+\S/;

/** Criteria as private.list_items reads them, with any marks in their boxes, and those that are ticked, each in one line. */
function readCriteria(draft: Draft, text: string) {
  const lines = text.split("\n");
  const boxes = readItems(draft, text).filter(({ kind }) => kind === "box");
  const ticked = boxes.filter((box) => {
    const isDone = stateOfBox(draft, box) === "DONE";
    const line = lines[box.line] ?? "";
    if (!usual.test(line)) lines[box.line] = `${/^\s*/.exec(line)?.[0]}- [${isDone ? "x" : " "}] ${box.title}`;
    return isDone;
  });
  return { acceptance_criteria: lines.join("\n"), ticked: ticked.map((box) => criterionOf(lines, box)) };
}

/** A criterion in one line: indented lines continue it. */
function criterionOf(lines: readonly string[], { line, title }: Item): string {
  const goesOn = (next = "") => /^\s+\S/.test(next) && !readLine(next).isListed;
  const said = [title.replace(/^#\d+\s+/, "")];
  for (let at = line + 1; goesOn(lines[at]); at++) said.push(lines[at] ?? "");
  return said.join(" ").replace(/\s+/g, " ").trim();
}

const sourceOf = ({ path, frontMatter }: TaskFile) => `${path}\n\n\`\`\`yaml\n${frontMatter}\n\`\`\``;

/** Log entries of a file: its origin with all fields, then its notes, of which long ones become several entries. */
function logOf(item: TaskFile): NonNullable<StoryFields["log"]> {
  const { id, created_date, updated_date = created_date } = item;
  const entry = (section: string, content: string, created_at: string | undefined) => ({
    content,
    metadata: { source: "backlog-md", id, section },
    created_at,
  });
  // Between two characters.
  const cut = /[\s\S]{1,90000}(?![\uDC00-\uDFFF])/g;
  const notes = item.sections.filter(({ isNote }) => isNote);
  return [
    entry("Front matter", `Imported from ${sourceOf(item)}`, created_date),
    ...notes.flatMap(({ section, content }) =>
      Array.from(content.match(cut) ?? [], (part) => entry(section, part, updated_date)),
    ),
  ];
}

/** A draft becomes an idea; an archived or dropped task an archived idea. Ideas have one field for all of its text. */
function addIdea(draft: Draft, item: TaskFile): void {
  const { title, description, status, created_date, updated_date = created_date } = item;
  const sections = [...item.sections, { section: "Source", content: sourceOf(item) }];
  draft.addIdea({
    title,
    description: [description, ...sections.map(({ section, content }) => `## ${section}\n\n${content}`)].join("\n\n"),
    archived_at: item.folder === "drafts" ? null : (updated_date ?? new Date().toISOString()),
    created_at: created_date,
  });
  draft.countStatus(status, "LEFT_OUT", toState(status) !== undefined);
}

const configSchema = z.object({ definition_of_done: z.array(z.string()).default([]) });

function definitionOfDone(folder: Folder, root: string): string {
  const bytes = folder.get(`${root}config.yaml`) ?? folder.get(`${root}config.yml`) ?? new Uint8Array();
  try {
    const config = configSchema.parse(parseYaml(decodeText(bytes) ?? ""));
    return config.definition_of_done.map((line) => `- ${line}`).join("\n");
  } catch {
    return "";
  }
}
