import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";

/** The worker as one file that needs Node and git only, with what a person compares it by. */
export interface WorkerFile {
  bytes: Buffer<ArrayBuffer>;
  sha256: string;
}

/** The file that the build has put beside the programs; null where nothing was built. */
export async function readWorkerFile(folder: string): Promise<WorkerFile | null> {
  try {
    const bytes = Buffer.from(await readFile(join(folder, "backloom-worker.mjs")));
    return { bytes, sha256: createHash("sha256").update(bytes).digest("hex") };
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return null;
    throw error;
  }
}
