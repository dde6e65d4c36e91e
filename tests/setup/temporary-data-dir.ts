import { mkdtemp, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { folderForData } from "./folder-for-data.mjs";

export interface TemporaryDataDir {
  path: string;
  /** Removes the folder and, where Postgres could not work in it, the one that it used instead. */
  remove(): Promise<void>;
}

export async function makeDataDir(): Promise<TemporaryDataDir> {
  const path = await mkdtemp(join(folderForData(), "backloom-test-"));
  return {
    path,
    async remove() {
      const elsewhere = await readFile(join(path, "postgres-folder"), "utf8").catch(() => "");
      if (elsewhere) await rm(elsewhere, { recursive: true, force: true });
      await rm(path, { recursive: true, force: true });
    },
  };
}
