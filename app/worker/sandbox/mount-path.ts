import { realpathSync } from "node:fs";
import { homedir } from "node:os";

/** Parses a `--mount` or `needs:` entry: a path of this machine, followed by `:rw` if jobs may write to it. */
export function mountPath(mount: string): { path: string; isWritable: boolean } {
  const isWritable = mount.endsWith(":rw");
  return { path: mount.replace(/:rw$/, "").replace(/^~/, homedir()), isWritable };
}

/** An entry of `needs:` as a person is asked about it: with the path that it really leads to. */
export interface NeededMount {
  /** As an entry of `--mount`. */
  name: string;
  path: string;
  real: string;
  isWritable: boolean;
}

export function neededMount(mount: string): NeededMount {
  const { path, isWritable } = mountPath(mount);
  const real = realPathOf(path) ?? path;
  return { name: `${real}${isWritable ? ":rw" : ""}`, path, real, isWritable };
}

/** False if nothing is there, or something else than was allowed. */
export function isAsAllowed({ real }: NeededMount): boolean {
  return realPathOf(real) === real;
}

function realPathOf(path: string): string | null {
  try {
    return realpathSync(path);
  } catch {
    return null;
  }
}
