/** Kind of a Backlog.md file, by its folder. */
export type Place =
  | "task"
  | "completed"
  | "archived task"
  | "draft"
  | "archived draft"
  | "milestone"
  | "archived milestone";

const places: Readonly<Record<string, Place>> = {
  tasks: "task",
  completed: "completed",
  drafts: "draft",
  milestones: "milestone",
  "archive/tasks": "archived task",
  "archive/drafts": "archived draft",
  "archive/milestones": "archived milestone",
};

/** Decides about a file by its path in the folder. */
export function judgeFile(path: string): { place: Place } | { reason: string } {
  const directory = path.split("/").slice(0, -1).join("/");
  const place = places[directory];
  if (/(^|\/)readme\.md$/i.test(path)) return { reason: "explains the folder, holds no work" };
  if (/^docs(\/|$)/.test(directory))
    return { reason: "a document, not work: keep it in the repository" };
  if (/^decisions(\/|$)/.test(directory))
    return { reason: "a decision, not work: keep it in the repository" };
  if (!path.endsWith(".md")) return { reason: "not a Markdown file" };
  return place ? { place } : { reason: "outside of the folders of tasks, drafts and milestones" };
}
