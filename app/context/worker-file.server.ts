import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";

/** The worker as one file that needs only Node and git, with the checksum people compare. */
export type WorkerFile = { bytes: Buffer<ArrayBuffer>; sha256: string };

/** Reads the worker file that the build put next to the programs, or returns null without a build. */
export async function readWorkerFile(folder: string): Promise<WorkerFile | null> {
  try {
    const bytes = Buffer.from(await readFile(join(folder, "backloom-worker.mjs")));
    return { bytes, sha256: createHash("sha256").update(bytes).digest("hex") };
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return null;
    throw error;
  }
}
