import { homedir } from "node:os";

/** Parses a `--mount` or `needs:` entry: a path of this machine, followed by `:rw` if jobs may write to it. */
export function mountPath(mount: string): { path: string; isWritable: boolean } {
  const isWritable = mount.endsWith(":rw");
  return { path: mount.replace(/:rw$/, "").replace(/^~/, homedir()), isWritable };
}
