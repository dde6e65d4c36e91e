import type { ExportedStory, ExportedTask } from "../export-document";
import type { CodeBook } from "./code-book";
import type { Conversion } from "./conversion";
import type { SourceItem } from "./parse-file.server";
import { tellsState, toPriority, toState, type WorkState } from "./state";
import { joinSections, logEntries } from "./texts";

/**
 * Converts a task to a story: its plan is one task, each subtask another. A story's status follows its tasks, so one
 * that is started or done without plan or subtasks gets one task with its state; one to do gets none.
 */
export function toStory(
  item: SourceItem,
  subtasks: readonly SourceItem[],
  codes: CodeBook,
  conversion: Conversion,
): ExportedStory {
  const state = workState(item, conversion);
  const tasks = subtasks.map((subtask) => toTask(subtask, codes, conversion));
  if (item.plan !== "" || !tellsState(tasks, state)) {
    tasks.unshift(toOwnTask(item, state, conversion));
  }
  const story: ExportedStory = {
    code: codes.take("story", item.id, item.path),
    title: item.title,
    description: item.description,
    acceptance_criteria: item.acceptanceCriteria,
    priority: toPriority(item.priority),
    status: tasks.length > 0 && tasks.every(isDone) ? "DONE" : "OPEN",
    assignee: item.assignees[0] ?? null,
    labels: item.labels,
    created_at: item.createdAt,
    tasks,
    log: [item, ...subtasks].flatMap(logEntries),
    evidence: checkedCriteria(item.acceptanceCriteria),
  };
  if (state === "DONE" && story.status !== "DONE") {
    conversion.notes.push({
      source: item.path,
      note: "is done but not all its subtasks are: the story stays open until they are",
    });
  }
  conversion.mapped.push({ source: item.path, as: "story", target: story });
  return story;
}

function isDone(task: ExportedTask): boolean {
  return task.status === "DONE";
}

function toOwnTask(item: SourceItem, state: WorkState, conversion: Conversion): ExportedTask {
  const task: ExportedTask = {
    code: null,
    title: item.title,
    description: state === "DONE" ? "" : item.description,
    implementation_plan: item.plan === "" ? null : item.plan,
    priority: toPriority(item.priority),
    status: state,
    created_at: item.createdAt,
  };
  conversion.mapped.push({ source: item.path, as: "task", target: task });
  return task;
}

function toTask(item: SourceItem, codes: CodeBook, conversion: Conversion): ExportedTask {
  const task: ExportedTask = {
    code: codes.take("task", item.id, item.path),
    title: item.title,
    description: joinSections([
      ["", item.description],
      ["Acceptance Criteria", item.acceptanceCriteria],
    ]),
    implementation_plan: item.plan === "" ? null : item.plan,
    priority: toPriority(item.priority),
    status: workState(item, conversion),
    labels: item.labels,
    created_at: item.createdAt,
  };
  conversion.mapped.push({ source: item.path, as: "task", target: task });
  return task;
}

/** Files in `completed/` are done, whatever their front matter says. */
function workState(item: SourceItem, { notes, unknownStatuses }: Conversion): WorkState {
  const { path: source, status } = item;
  const state = toState(status);
  const isCompleted = item.place === "completed";
  if (state === undefined) {
    unknownStatuses.push({ source, status, became: isCompleted ? "done" : "to do" });
  }
  if (isCompleted) {
    if (state !== "DONE") {
      notes.push({ source, note: `lies in completed/ but is "${status}": read as done` });
    }
    return "DONE";
  }
  if (state !== undefined && state !== "dropped") return state;
  notes.push({ source, note: `has the unknown status "${status}": read as to do` });
  return "TO_DO";
}

type Evidence = NonNullable<ExportedStory["evidence"]>[number];

const item = /^\s*(?:[-*+•]|\d{1,3}[.)])\s+(?:\[([ xX])\]\s+)?(?:#\d+\s+)?(.*)$/s;

/** Ticked criteria become evidence with the grade `said`, as no one here has seen them hold. */
function checkedCriteria(acceptanceCriteria: string): Evidence[] {
  const criteria: { text: string; isChecked: boolean }[] = [];
  let isOpen = false;
  for (const line of acceptanceCriteria.split("\n")) {
    const [whole, mark, text = ""] = item.exec(line) ?? [];
    if (whole !== undefined) criteria.push({ text, isChecked: mark?.toLowerCase() === "x" });
    const last = criteria.at(-1);
    const goesOn: boolean = whole === undefined && isOpen && /^\s+\S/.test(line);
    if (goesOn && last) last.text = `${last.text} ${line}`;
    isOpen = whole !== undefined || goesOn;
  }
  return criteria
    .filter(({ text, isChecked }) => isChecked && text.trim() !== "")
    .map(({ text }) => ({
      criterion: text.replace(/\s+/g, " ").trim(),
      verdict: "pass",
      grade: "said",
      kind: "file",
      excerpt: "Ticked off in Backlog.md",
      observed_by: "Backlog.md",
    }));
}
