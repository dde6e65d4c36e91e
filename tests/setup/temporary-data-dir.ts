import { mkdtemp, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { folderForData } from "./folder-for-data.mjs";

export interface TemporaryDataDir {
  path: string;
  /** Removes the folder and, where Postgres could not work in it, the one that it used instead. */
  remove(): Promise<void>;
}

/** What a process that was just killed still writes makes `rm` find a folder that is not empty: it looks again. */
const whole = { recursive: true, force: true, maxRetries: 20, retryDelay: 100 };

export async function makeDataDir(): Promise<TemporaryDataDir> {
  const path = await mkdtemp(join(folderForData(), "backloom-test-"));
  return {
    path,
    async remove() {
      const elsewhere = await readFile(join(path, "postgres-folder"), "utf8").catch(() => "");
      if (elsewhere) await rm(elsewhere, whole);
      await rm(path, whole);
    },
  };
}
