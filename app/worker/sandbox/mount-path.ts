import { homedir } from "node:os";

/** What `--mount`, and `needs:` of a repository, name: a path of this machine, with `:rw` behind it where jobs may write. */
export function mountPath(mount: string): { path: string; isWritable: boolean } {
  const isWritable = mount.endsWith(":rw");
  return { path: mount.replace(/:rw$/, "").replace(/^~/, homedir()), isWritable };
}
