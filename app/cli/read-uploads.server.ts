import { readdir, readFile, stat } from "node:fs/promises";
import { basename, join, relative, resolve, sep } from "node:path";
import { importLimits } from "~/nouns/transfers/contract";
import { folderLimits, type UploadedFile } from "~/nouns/transfers/formats/folder.server";
import { CommandError } from "./command";

/** Neither holds a backlog, and both may hold more files than all else. */
const skipped = new Set([".git", "node_modules"]);

/** Reads a file, or all files of a folder, as a browser sends them: paths begin with the name of the folder. */
export async function readUploads(path: string): Promise<UploadedFile[]> {
  try {
    const at = resolve(path);
    if ((await stat(at)).isFile()) return [{ name: basename(at), bytes: await readFile(at) }];
    return await readFolder(at);
  } catch (error) {
    if (error instanceof CommandError) throw error;
    throw new CommandError(`${path} cannot be read: check the path`);
  }
}

async function readFolder(folder: string): Promise<UploadedFile[]> {
  const paths: string[] = [];
  const waiting = [folder];
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    // Links are neither files nor folders here, so nothing outside of the folder is read.
    for (const entry of await readdir(at, { withFileTypes: true })) {
      if (entry.isDirectory() && !skipped.has(entry.name)) waiting.push(join(at, entry.name));
      if (entry.isFile()) paths.push(join(at, entry.name));
    }
    if (paths.length > folderLimits.files)
      throw new CommandError(
        `${folder} holds more than ${folderLimits.files} files: name the folder of one backlog`,
      );
  }
  const files: UploadedFile[] = [];
  let size = 0;
  for (const path of paths) {
    const name = `${basename(folder)}/${relative(folder, path).replaceAll(sep, "/")}`;
    const bytes = await contentOf(path);
    if (bytes !== tooLarge) size += bytes.length;
    if (size > importLimits.unpacked)
      throw new CommandError(`${folder} holds more text than can be imported at once`);
    files.push({ name, bytes });
  }
  return files;
}

/** In place of a content that is refused for its size. */
const tooLarge = new Uint8Array(folderLimits.bytes + 1);

/** Files that cannot hold a backlog are named in the report, and not read. */
async function contentOf(path: string): Promise<Uint8Array> {
  if (!/\.(?:md|ya?ml)$/i.test(path)) return new Uint8Array();
  return (await stat(path)).size > folderLimits.bytes ? tooLarge : readFile(path);
}
