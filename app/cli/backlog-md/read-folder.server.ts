import { readdir, readFile, stat } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import { CommandError } from "../command";

/** What a file of a Backlog.md folder is, by where it lies. */
export type Place =
  | "task"
  | "completed"
  | "archived task"
  | "draft"
  | "archived draft"
  | "milestone"
  | "archived milestone";

export interface SourceFile {
  /** Path inside the folder, as the report names it. */
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
  /** The text of `config.yml`, empty without one. */
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

const limits = { files: 20_000, bytes: 1024 * 1024 } as const;

/** Reads a Backlog.md folder whole: every file is either read or named as skipped with its reason. */
export async function readFolder(folder: string): Promise<SourceFolder> {
  const paths = await listFiles(folder);
  if (paths.length > limits.files) {
    throw new CommandError(
      `${folder} holds more than ${limits.files} files: name the folder of one backlog`,
    );
  }
  const result: SourceFolder = { files: [], skipped: [], config: "" };
  for (const path of paths) await readInto(result, folder, path);
  if (result.files.length > 0) return result;
  throw new CommandError(
    `${folder} holds no Backlog.md tasks: name the folder that contains tasks/, usually "backlog"`,
  );
}

async function listFiles(folder: string): Promise<string[]> {
  try {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true });
    return entries
      .filter((entry) => entry.isFile())
      .map((entry) => relative(folder, join(entry.parentPath, entry.name)).replaceAll(sep, "/"))
      .sort((a, b) => a.localeCompare(b, "en", { numeric: true }));
  } catch {
    throw new CommandError(`The folder ${folder} cannot be read: check the path`);
  }
}

async function readInto(result: SourceFolder, folder: string, path: string): Promise<void> {
  const text = async (): Promise<string> => readFile(join(folder, path), "utf8");
  if (/^config\.ya?ml$/.test(path) && !(await tooLarge(join(folder, path)))) {
    result.config = await text();
    return;
  }
  const directory = path.split("/").slice(0, -1).join("/");
  const place = places[directory];
  const reason = skipReason(path, directory, place) ?? (await tooLarge(join(folder, path)));
  if (place !== undefined && reason === undefined) {
    result.files.push({ path, place, text: await text() });
    return;
  }
  result.skipped.push({ source: path, reason: reason ?? "not a task, draft or milestone" });
}

async function tooLarge(file: string): Promise<string | undefined> {
  const { size } = await stat(file);
  return size > limits.bytes ? `is larger than ${limits.bytes / 1024} KiB` : undefined;
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
