import { readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import manifest from "../../../package.json";
import { listMigrations } from "../migrations";
import { readJson } from "./manifest";
import { DataFolderProblem } from "./problem";

/** The program that last opened a data folder, and the newest migration of its database then. */
const madeBySchema = z.object({
  version: z.string(),
  newest_migration: z.string(),
  /** The copy from before the upgrade exists. Another one would contain a later state, so none is made. */
  upgrade_begun: z.boolean().optional(),
});
export type MadeBy = z.infer<typeof madeBySchema>;

/** The first release wrote no note, so folders without one are its own. */
export const firstRelease: MadeBy = { version: "0.1.0", newest_migration: "" };

export async function readMadeBy(dataDir: string): Promise<MadeBy | null> {
  const text = await readFile(noteOf(dataDir), "utf8").catch(() => null);
  if (text === null) return null;
  const parsed = madeBySchema.safeParse(readJson(text));
  if (parsed.success) return parsed.data;
  throw new DataFolderProblem(
    `${noteOf(dataDir)} is damaged: remove it, and the folder is looked at as if 0.1.0 had made it`,
  );
}

/** The note of this program. */
export async function thisProgram(): Promise<MadeBy> {
  const newest = (await listMigrations()).at(-1);
  return { version: manifest.version, newest_migration: newest?.version ?? "" };
}

/** Refuses a folder of a newer program before anything in it is touched. */
export function refuseNewer(dataDir: string, folder: MadeBy | null, program: MadeBy): void {
  if (folder === null || folder.newest_migration <= program.newest_migration) return;
  throw new DataFolderProblem(
    `The data folder ${dataDir} was made by Backloom ${folder.version}, and this is ${program.version}: ` +
      `start ${folder.version} or later, or set DATA_DIR to a copy from before the upgrade (${join(dataDir, "copies")}).`,
  );
}

/** Writes the note atomically, by renaming a temporary file. */
export async function writeMadeBy(dataDir: string, madeBy: MadeBy): Promise<void> {
  const draft = `${noteOf(dataDir)}.${process.pid}.new`;
  await writeFile(draft, `${JSON.stringify(madeBy, null, 2)}\n`);
  await rename(draft, noteOf(dataDir));
}

const noteOf = (dataDir: string): string => join(dataDir, "made-by.json");
