import { readItems, readLine, stateOfBox } from "~/wire/transfers/boxes";
import type { ImportedStory } from "~/wire/transfers/contract";
import type { Draft, StoryFields, TaskFields } from "~/wire/transfers/draft";
import { tellsState, toPriority, toState, type WorkState } from "~/wire/transfers/state";
import type { SourceItem } from "./parse-file.server";
import type { PlannedStory } from "./plan";

/** The names under which stories and tasks are imported. */
type Keys = ReadonlyMap<SourceItem, string>;

/** Its id where that is a code and free, otherwise its title. A part is named below its story. */
export function keysOf(stories: readonly PlannedStory[]): Keys {
  const keys = new Map<SourceItem, string>();
  const taken = new Set<string>();
  const keyOf = ({ id, title }: SourceItem) => {
    const isFree = /^[A-Za-z0-9._-]{1,30}$/.test(id) && !taken.has(id);
    taken.add(id);
    return isFree ? id : title;
  };
  for (const { item, parts } of stories) {
    const key = keyOf(item);
    keys.set(item, key);
    for (const part of parts) keys.set(part, `${key}/${keyOf(part)}`);
  }
  return keys;
}

/**
 * Converts a task to a story: its plan is one task, each subtask another. A story's status follows its tasks, so one
 * that is started or done without plan or subtasks gets one task with its state; one to do gets none.
 */
export function toStory(
  { item, parts }: PlannedStory,
  keys: Keys,
  blockersOf: (item: SourceItem) => string[],
  draft: Draft,
): StoryFields {
  const id = keys.get(item) ?? item.id;
  const state = workState(item, draft);
  const { criteria, ticked } = readCriteria(item.acceptanceCriteria, draft);
  const tasks = parts.map((part) => ({
    ...shared(part, keys, blockersOf),
    description: joinSections([
      ["", part.description],
      ["Acceptance Criteria", part.acceptanceCriteria],
    ]),
    implementation_plan: part.plan,
    state: workState(part, draft),
  }));
  const own: TaskFields = {
    id: `${id}/own-1`,
    title: item.title,
    description: state === "DONE" ? "" : item.description,
    implementation_plan: item.plan,
    priority: toPriority(item.priority),
    created_at: item.createdAt,
    state,
  };
  const isShown =
    item.plan === "" &&
    tellsState(
      tasks.map((task) => task.state),
      state,
    );
  return {
    ...shared(item, keys, blockersOf),
    description: item.description,
    acceptance_criteria: criteria,
    assignee: item.assignees[0] ?? null,
    state,
    log: [item, ...parts].flatMap(logEntries),
    ticked,
    tasks: isShown ? tasks : [own, ...tasks],
  };
}

function shared(item: SourceItem, keys: Keys, blockersOf: (item: SourceItem) => string[]) {
  return {
    id: keys.get(item) ?? item.id,
    code: item.id,
    title: item.title,
    priority: toPriority(item.priority),
    labels: item.labels,
    blocked_by: blockersOf(item),
    created_at: item.createdAt,
  };
}

/** Files in `completed/` are done, no matter what their front matter says. */
function workState({ place, status, path }: SourceItem, draft: Draft): WorkState {
  const byFolder = place === "completed" ? "DONE" : undefined;
  if (byFolder && toState(status) !== "DONE")
    draft.leftOut.add(`Notes on files: in completed/, but "${status}": read as done`, 1, path);
  const isKnown = toState(status) !== undefined;
  return draft.readState({ word: status, told: byFolder, isKnown }) ?? "TO_DO";
}

const usual = /^\s*(?:[-*+•]|\d{1,3}[.)])[ \t]+\[[ xX]\][ \t]+\S/;

/** Criteria as private.list_items reads them, with any marks in their boxes, and those that are ticked. */
function readCriteria(text: string, draft: Draft) {
  const lines = text.split("\n");
  const ticked = new Set<number>();
  for (const item of readItems(draft, text).filter(({ kind }) => kind === "box")) {
    const isDone = stateOfBox(draft, item) === "DONE";
    if (isDone) ticked.add(item.line);
    const line = lines[item.line] ?? "";
    const before = /^\s*/.exec(line)?.[0] ?? "";
    if (!usual.test(line)) lines[item.line] = `${before}- [${isDone ? "x" : " "}] ${item.title}`;
  }
  return { criteria: lines.join("\n"), ticked: tickedIn(lines, ticked) };
}

/** The criteria of these lines, each in one line. */
function tickedIn(lines: readonly string[], ticked: ReadonlySet<number>): string[] {
  const criteria: { text: string; isTicked: boolean }[] = [];
  let isOpen = false;
  for (const [number, line] of lines.entries()) {
    const { isListed, rest, box } = readLine(line);
    const text = (box?.title ?? rest).replace(/^#\d+\s+/, "");
    if (isListed) criteria.push({ text, isTicked: ticked.has(number) });
    const last = criteria.at(-1);
    const goesOn: boolean = !isListed && isOpen && /^\s+\S/.test(line);
    if (goesOn && last) last.text = `${last.text} ${line}`;
    isOpen = isListed || goesOn;
  }
  return criteria
    .filter(({ text, isTicked }) => isTicked && text.trim() !== "")
    .map(({ text }) => text.replace(/\s+/g, " ").trim());
}

/** Longest text of a log entry; longer notes become several entries. */
const maximumLogText = 90_000;

/** Joins texts under their headings, without empty ones. */
function joinSections(sections: readonly (readonly [heading: string, text: string])[]): string {
  return sections
    .filter(([, text]) => text !== "")
    .map(([heading, text]) => (heading === "" ? text : `## ${heading}\n\n${text}`))
    .join("\n\n");
}

/** All of a file as one text, for items with a single text field. */
export function wholeText(item: SourceItem): string {
  return joinSections([
    ["", item.description],
    ["Acceptance Criteria", item.acceptanceCriteria],
    ["Implementation Plan", item.plan],
    ...item.notes.map((note) => [note.section, note.content] as const),
    ["Source", `${item.path}\n\n\`\`\`yaml\n${item.frontMatter}\n\`\`\``],
  ]);
}

type LogEntry = ImportedStory["log"][number];

/** Log entries of a file: its origin with all fields, then its notes. */
function logEntries(item: SourceItem): LogEntry[] {
  const origin: LogEntry = {
    content: `Imported from ${item.path}\n\n\`\`\`yaml\n${item.frontMatter}\n\`\`\``,
    metadata: { source: "backlog-md", id: item.id, section: "Front matter" },
    created_at: item.createdAt,
  };
  const notes = item.notes.flatMap(({ section, content }) =>
    cut(content).map(
      (part): LogEntry => ({
        content: part,
        metadata: { source: "backlog-md", id: item.id, section },
        created_at: item.updatedAt ?? item.createdAt,
      }),
    ),
  );
  return [origin, ...notes];
}

function cut(text: string): string[] {
  const parts: string[] = [];
  for (let at = 0; at < text.length; ) {
    let next = Math.min(at + maximumLogText, text.length);
    // Do not split a surrogate pair.
    if (next < text.length && /[\uD800-\uDBFF]/.test(text.charAt(next - 1))) next -= 1;
    parts.push(text.slice(at, next));
    at = next;
  }
  return parts;
}
