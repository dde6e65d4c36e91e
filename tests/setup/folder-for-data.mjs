// Where the databases of tests lie.
import { accessSync, constants, readFileSync, statfsSync } from "node:fs";
import { freemem, tmpdir } from "node:os";

const inMemory = "/dev/shm";
const room = 6 * 1024 ** 3;

/**
 * Each test file makes and drops a database of a thousand small files. A disk spends more on their names than Postgres on
 * what is in them: where Linux keeps files in memory, and there is plenty, they lie there.
 */
export function folderForData() {
  return hasRoom() ? inMemory : tmpdir();
}

function hasRoom() {
  try {
    accessSync(inMemory, constants.W_OK);
    const mounts = readFileSync("/proc/mounts", "utf8")
      .split("\n")
      .map((line) => line.split(" "));
    // Folders of workers lie there too, and what they run.
    const [, , , options = "noexec"] = mounts.find(([, folder]) => folder === inMemory) ?? [];
    if (options.split(",").includes("noexec")) return false;
    const { bavail, bsize } = statfsSync(inMemory);
    return Math.min(bavail * bsize, freemem()) > room;
  } catch {
    return false;
  }
}
