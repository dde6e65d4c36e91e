/** Kind of a Backlog.md file, by its folder. */
export type Place =
  | "task"
  | "completed"
  | "archived task"
  | "draft"
  | "archived draft"
  | "milestone"
  | "archived milestone";

export interface SourceFile {
  /** Path inside the folder, as shown in the report. */
  path: string;
  place: Place;
  text: string;
}

export interface Skipped {
  source: string;
  reason: string;
}

export interface SourceFolder {
  files: SourceFile[];
  skipped: Skipped[];
  /** Text of `config.yml`; empty if there is none. */
  config: string;
}

const places: Readonly<Record<string, Place>> = {
  tasks: "task",
  completed: "completed",
  drafts: "draft",
  milestones: "milestone",
  "archive/tasks": "archived task",
  "archive/drafts": "archived draft",
  "archive/milestones": "archived milestone",
};

export const folderLimits = { files: 20_000, bytes: 1024 * 1024 } as const;

/** Decides what to do with a file before it is read. */
export function judgeFile(
  path: string,
  size: number,
): { place: Place | "config" } | { reason: string } {
  const isLarge = size > folderLimits.bytes;
  if (/^config\.ya?ml$/.test(path) && !isLarge) return { place: "config" };
  const directory = path.split("/").slice(0, -1).join("/");
  const place = places[directory];
  const reason =
    skipReason(path, directory, place) ??
    (isLarge ? `is larger than ${folderLimits.bytes / 1024} KiB` : undefined);
  if (place !== undefined && reason === undefined) return { place };
  return { reason: reason ?? "not a task, draft or milestone" };
}

function skipReason(path: string, directory: string, place: Place | undefined): string | undefined {
  if (/(^|\/)readme\.md$/i.test(path)) return "explains the folder, holds no work";
  if (/^docs(\/|$)/.test(directory)) return "a document, not work: keep it in the repository";
  if (/^decisions(\/|$)/.test(directory)) return "a decision, not work: keep it in the repository";
  if (!path.endsWith(".md")) return "not a Markdown file";
  return place === undefined
    ? "lies outside the folders of tasks, drafts and milestones"
    : undefined;
}

export const byPath = (one: string, other: string) =>
  one.localeCompare(other, "en", { numeric: true });
