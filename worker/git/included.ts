import { constants, cp, lstat, mkdir, mkdtemp, open, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { succeeds } from "../base/run";
import { git, gitEnd, gitPaths } from "./git";

const most = { files: 500, bytes: 50_000_000, fileBytes: 5_000_000 };
/** Git looks at one command line at a time. */
const mostCandidates = 20_000;
const mostInCall = 500;

interface Included {
  files: string[];
  /** Matching files that are not copied, each with the reason. */
  leftOut: string[];
}

/** The person's own checkout of a repository; null for a clone, which has no files. */
export async function sourceOf(folder: string): Promise<string | null> {
  const names = await readdir(folder).catch(() => []);
  return names.some((name) => name !== ".git") ? folder : null;
}

/** Ignored files that match patterns as in `.gitignore`: none that is tracked, no links or packages, only small. */
export async function listIncluded(source: string | null, patterns: string): Promise<Included> {
  if (patterns.trim() === "") return { files: [], leftOut: [] };
  if (source === null) return { files: [], leftOut: ["no files: this worker cloned by address"] };
  const matching = await matchingIn(source, patterns);
  const leftOut: string[] = [];
  const files: string[] = [];
  let bytes = 0;
  for (const path of await ignoredOf(source, matching.slice(0, mostCandidates))) {
    const found = await lstat(join(source, path)).catch(() => null);
    if (found === null) continue;
    const reason =
      !found.isFile() || (await isBehindLink(source, path))
        ? "is a link"
        : found.size > most.fileBytes
          ? "is larger than 5 MB"
          : files.length === most.files
            ? "comes after 500 files"
            : bytes + found.size > most.bytes
              ? "makes it more than 50 MB"
              : null;
    if (reason !== null) leftOut.push(`${path} ${reason}`);
    else {
      files.push(path);
      bytes += found.size;
    }
  }
  if (files.length === 0 && leftOut.length === 0) leftOut.push(`no ignored file of ${source} matches`);
  if (leftOut.length > 20) leftOut.splice(20, Number.POSITIVE_INFINITY, `${leftOut.length - 20} more files`);
  return { files, leftOut };
}

async function matchingIn(source: string, patterns: string): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), "backloom-patterns-"));
  try {
    const file = join(folder, "patterns");
    await writeFile(file, patterns);
    const paths = await gitPaths(source, "ls-files", "-o", "-i", `--exclude-from=${file}`);
    return paths.filter((path) => !path.endsWith("/") && !isNever(path));
  } finally {
    await rm(folder, { recursive: true });
  }
}

function isNever(path: string): boolean {
  const parts = path.split("/").slice(0, -1);
  return (
    parts.some((part) => [".git", ".backloom", "node_modules", ".venv"].includes(part)) ||
    path.startsWith(".claude/worktrees/")
  );
}

async function ignoredOf(source: string, paths: readonly string[]): Promise<string[]> {
  const ignored: string[] = [];
  for (let from = 0; from < paths.length; from += mostInCall) {
    const some = paths.slice(from, from + mostInCall).map((path) => `:(literal,top)${path}`);
    const args = ["-c", "core.quotePath=false", "ls-files", "-z", "-o", "-i", "--exclude-standard", "--", ...some];
    ignored.push(...(await git(source, ...args)).split("\0").filter((path) => path !== ""));
  }
  return ignored.sort();
}

/** A folder or file of the user's checkout, and its path in a worktree. */
export type Shared = { source: string; path: string };

/** Those of `share` that are there, ignored by Git and not behind a link; and why the others are not shared. */
export async function listShared(repository: string, share: readonly string[]) {
  const source = share.length === 0 ? null : await sourceOf(repository);
  const shared: Shared[] = [];
  const leftOut: string[] = [];
  for (const path of share) {
    const reason = source === null ? "is not here: this worker cloned by address" : await whyNotShared(source, path);
    if (reason === null) shared.push({ source: join(repository, path), path });
    else leftOut.push(`${path} ${reason}`);
  }
  return { shared, leftOut };
}

async function whyNotShared(source: string, path: string): Promise<string | null> {
  const found = await lstat(join(source, path)).catch(() => null);
  if (found === null) return `is not in ${source}`;
  if (found.isSymbolicLink() || (await isBehindLink(source, path))) return "is a link";
  const { output } = await gitEnd(source, "ls-files", "--", `:(literal,top)${path}`);
  if (output !== "") return "is tracked by Git";
  return (await gitEnd(source, "check-ignore", "--quiet", "--", path)).code === 0 ? null : "is not ignored by Git";
}

/** Copies without a sandbox, where the file system lets copies have their blocks in common. Returns what it could not. */
export async function copyShared(shared: readonly Shared[], folder: string): Promise<string[]> {
  const failed: string[] = [];
  for (const { source, path } of shared) {
    const to = join(folder, path);
    if ((await isBehindLink(folder, path)) || (await lstat(to).catch(() => null)) !== null) continue;
    const mode = constants.COPYFILE_FICLONE_FORCE;
    await cp(source, to, { recursive: true, verbatimSymlinks: true, mode }).catch(async () => {
      failed.push(path);
      await rm(to, { recursive: true, force: true });
    });
  }
  return failed;
}

/** True if a folder on the path is a link. */
export async function isBehindLink(home: string, path: string): Promise<boolean> {
  let folder = home;
  for (const part of dirname(path).split("/")) {
    folder = join(folder, part);
    const found = await lstat(folder).catch(() => null);
    if (found?.isSymbolicLink()) return true;
  }
  return false;
}

/** Copies them, over nothing that is there, readable for the user alone. Returns what was copied. */
export async function copyIncluded(source: string, files: readonly string[], to: string): Promise<string[]> {
  const copied: string[] = [];
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
  for (const path of files) {
    if (await isBehindLink(to, path)) continue;
    const handle = await open(join(source, path), O_RDONLY | O_NOFOLLOW | O_NONBLOCK).catch(() => null);
    if (handle === null) continue;
    try {
      const { mode } = await handle.stat();
      const content = await handle.readFile();
      await mkdir(dirname(join(to, path)), { recursive: true });
      const isNew = await succeeds(writeFile(join(to, path), content, { flag: "wx", mode: mode & 0o700 }));
      if (isNew) copied.push(path);
    } finally {
      await handle.close();
    }
  }
  return copied;
}
