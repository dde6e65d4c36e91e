import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/**
 * A Backlog.md folder of 25 stories, as a team has it in the middle of its work: two milestones, tasks with and without
 * plan, subtasks, things that are done, a thought or two. 21 stories are open.
 */
export function writeBacklogFolder(folder: string): string {
  write(folder, "config.yml", 'project_name: "Planes"\ndefinition_of_done: ["It flies"]\n');
  for (const milestone of [1, 2]) {
    const head = `id: m-${milestone}\ntitle: "Milestone ${milestone}"`;
    write(folder, `milestones/m-${milestone} - fly.md`, page(head, "## Description\n\nIt flies."));
  }
  write(folder, "drafts/draft-1 - Thought.md", page("id: draft-1\ntitle: Planes that glow"));
  for (let number = 1; number <= 25; number++) writeStory(folder, number);
  return folder;
}

function writeStory(folder: string, number: number): void {
  const isDone = number > 21;
  const id = `FLY-${number}`;
  const head = [
    `id: ${id}`,
    `title: Fold ${number}`,
    `status: ${isDone ? "Done" : "To Do"}`,
    "assignee: []",
    `created_date: '2026-01-${String(number).padStart(2, "0")} 10:00'`,
    `priority: ${["high", "medium", "low"][number % 3]}`,
    ...(number % 4 === 0 ? [] : [`milestone: m-${1 + (number % 2)}`]),
  ].join("\n");
  // Every fifth one still has to be planned.
  const plan = number % 5 === 0 ? "" : `## Implementation Plan\n\n1. Fold ${number}\n2. Look at it`;
  const subfolder = isDone ? "completed" : "tasks";
  const criteria = "## Acceptance Criteria\n<!-- AC:BEGIN -->\n- [ ] #1 It flies\n<!-- AC:END -->";
  const body = `## Description\n\nThe fold number ${number}.\n\n${criteria}\n\n${plan}`;
  write(folder, `${subfolder}/fly-${number} - Fold-${number}.md`, page(head, body));
  // Every other one has a subtask, which shares the branch of its story and comes second.
  if (isDone || number % 2 === 1 || number % 4 === 0) return;
  const subtask = `id: ${id}.1\ntitle: Test fold ${number}\nstatus: To Do\nparent_task_id: ${id}`;
  const path = `tasks/fly-${number}.1 - Test-fold-${number}.md`;
  write(folder, path, page(subtask, "## Implementation Plan\n\n1. Let it fly"));
}

function page(head: string, body = ""): string {
  return `---\n${head}\n---\n\n${body}\n`;
}

function write(folder: string, path: string, text: string): void {
  const file = join(folder, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}
