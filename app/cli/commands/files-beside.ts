import { mkdir, open, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Database } from "~/db/database.server";
import type { ExportedFile } from "~/nouns/transfers/export-document";
import { exportFile } from "~/nouns/transfers/operations.server";
import { type FileType, fileLimit, productFilesLimit } from "~/wire/files/contract";
import { typeOf } from "~/wire/files/file-type";
import { CommandError } from "../command";

const endings: Record<FileType, string> = {
  "image/png": "png",
  "image/jpeg": "jpg",
  "image/gif": "gif",
  "image/webp": "webp",
  "video/mp4": "mp4",
  "video/webm": "webm",
  "application/pdf": "pdf",
  "text/plain": "txt",
};

/** Named by its id: names that people gave may be twice there, too long, or a path. */
const pathOf = (folder: string, { id, type }: ExportedFile) => join(folder, `${id}.${endings[type]}`);

/** Writes the content of each file into the folder, one after another. */
export async function writeFilesBeside(
  database: Database,
  folder: string,
  files: readonly ExportedFile[],
): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 }).catch(() => {
    throw new CommandError(`${folder} cannot be made: check the path`);
  });
  for (const file of files) {
    const stored = await exportFile(database, { file_id: file.id });
    if (stored === null) throw new CommandError(`${file.name} was deleted during the export: export again`);
    const path = pathOf(folder, file);
    await writeOwnFile(path, Buffer.from(stored.content, "base64")).catch(() => {
      throw new CommandError(`${path} cannot be written: check the path and the room on the disk`);
    });
  }
}

/** How to read the files of a document from the folder. All are looked at first, so that nothing is imported when one is missing. */
export async function readFilesBeside(folder: string, files: readonly ExportedFile[]) {
  const read = async (file: ExportedFile): Promise<Uint8Array> => {
    const path = pathOf(folder, file);
    const found = await stat(path).catch(() => null);
    if (!found?.isFile()) throw new CommandError(`${path} is missing: ${file.name} of the export`);
    if (found.size === 0 || found.size > fileLimit) throw new CommandError(`${path} is empty or larger than 10 MB`);
    const bytes = await readFile(path);
    if (typeOf(bytes) !== file.type) throw new CommandError(`${path} is no ${file.type}, as the export says`);
    return bytes;
  };
  let size = 0;
  for (const file of files) size += (await read(file)).length;
  if (size > productFilesLimit)
    throw new CommandError("The files take more than 1 GB, which is the limit for a product");
  return read;
}

/** What people wrote and attached is in it, so the file is its owner's alone to read, also where it was there before. */
export async function writeOwnFile(path: string, content: string | Uint8Array): Promise<void> {
  const file = await open(path, "w", 0o600);
  try {
    if ((await file.stat()).isFile()) await file.chmod(0o600);
    await file.writeFile(content);
  } finally {
    await file.close();
  }
}
