import { readdir, readFile, stat } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import {
  byPath,
  folderLimits,
  judgeFile,
  type SourceFolder,
} from "~/nouns/transfers/backlog-md/source-folder";
import { CommandError } from "./command";

/** Reads a whole Backlog.md folder. Every file is either read or listed as skipped with a reason. */
export async function readFolder(folder: string): Promise<SourceFolder> {
  const paths = await listFiles(folder);
  if (paths.length > folderLimits.files) {
    throw new CommandError(
      `${folder} holds more than ${folderLimits.files} files: name the folder of one backlog`,
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
      .sort(byPath);
  } catch {
    throw new CommandError(`The folder ${folder} cannot be read: check the path`);
  }
}

async function readInto(result: SourceFolder, folder: string, path: string): Promise<void> {
  const file = join(folder, path);
  const { size } = await stat(file);
  const judged = judgeFile(path, size);
  if ("reason" in judged) {
    result.skipped.push({ source: path, reason: judged.reason });
    return;
  }
  const text = await readFile(file, "utf8");
  if (judged.place === "config") result.config = text;
  else result.files.push({ path, place: judged.place, text });
}
