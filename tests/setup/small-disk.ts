import { execFileSync } from "node:child_process";
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface SmallDisk {
  folder: string;
  remove(): void;
}

/** A file system of so many MB that a test can fill; undefined where this user may not make one (it needs root on Linux). */
export function makeSmallDisk(megabytes: number): SmallDisk | undefined {
  const folder = mkdtempSync(join(tmpdir(), "backloom-small-disk-"));
  const unmount = () => void execFileSync("umount", ["--lazy", folder]);
  try {
    const size = `size=${megabytes}m`;
    execFileSync("mount", ["-t", "tmpfs", "-o", size, "backloom-test", folder], { stdio: "ignore" });
  } catch {
    rmSync(folder, { recursive: true, force: true });
    return undefined;
  }
  // Whatever ends this process, no file system is left behind.
  process.once("exit", unmount);
  return {
    folder,
    remove() {
      process.off("exit", unmount);
      unmount();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Takes all that is free on the disk of a folder, down to the last block; the returned function makes room again. */
export function fillDisk(folder: string): () => void {
  const file = join(folder, "somebody-elses-file");
  const handle = openSync(file, "w");
  for (const size of [4_194_304, 65_536, 4_096, 512]) {
    const bytes = Buffer.alloc(size);
    try {
      while (writeSync(handle, bytes) === size);
    } catch {
      // Full for a piece of this size.
    }
  }
  closeSync(handle);
  return () => rmSync(file);
}
