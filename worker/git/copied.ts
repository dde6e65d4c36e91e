import { chmod, lstat, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { writeWhole } from "../base/files";
import { git, gitEnd, gitPaths } from "./git";

/** Suffix of the file next to a worktree with what was copied into it and must not get out. */
export const copiedEnd = ".copied";

/** Suffix of the folder next to a worktree with what commands of other tools may read of the user's checkout. */
export const sourceEnd = ".source";

/** Files that no one commits, by name and by what is in them: a program may copy them on. */
const copiedSchema = z.object({ paths: z.array(z.string()), blobs: z.array(z.string()), values: z.array(z.string()) });
type Copied = z.output<typeof copiedSchema>;

const noted = (folder: string): string => `${folder}${copiedEnd}`;

export async function copiedInto(folder: string): Promise<Copied | null> {
  const text = await readFile(noted(folder), "utf8").catch(() => null);
  return text === null ? null : copiedSchema.parse(JSON.parse(text));
}

/** A folder such as packages is copied for its files, not for secrets in them. */
const mostFiles = 600;
const mostBytes = 256_000;
/** An empty file, or one word, is like any other. */
const leastBytes = 16;
const mostValues = 100;

/** Notes what was copied or may be copied on, readable for the user alone, without values that main has as well. */
export async function noteCopied(folder: string, copied: readonly string[], source: string): Promise<void> {
  const lent = await filesBelow(source, "");
  if (copied.length + lent.length === 0) return;
  const tracked = new Set(await gitPaths(folder, "ls-files"));
  const below = (await Promise.all(copied.map((path) => filesBelow(folder, path)))).flat();
  const all = [...below.map((path) => ({ path, home: folder })), ...lent.map((path) => ({ path, home: source }))];
  const held = all.filter(({ path }) => !tracked.has(path));
  if (held.length === 0) return;
  const values = new Set<string>();
  const blobs = new Set<string>();
  for (const { path, home } of held) {
    const file = join(home, path);
    const found = await lstat(file);
    await chmod(file, found.mode & 0o700);
    if (held.length > mostFiles || found.size > mostBytes || found.size < leastBytes) continue;
    blobs.add(await git(folder, "hash-object", "--", file));
    for (const value of valuesIn(await readFile(file, "utf8"))) values.add(value);
  }
  const own = await withoutKnown(folder, [...values].slice(0, mostValues));
  const paths = [...new Set(held.map(({ path }) => path))];
  await writeWhole(noted(folder), JSON.stringify({ paths, blobs: [...blobs], values: own }), 0o600);
}

async function filesBelow(folder: string, path: string): Promise<string[]> {
  const found = await lstat(join(folder, path)).catch(() => null);
  if (found?.isFile()) return [path];
  if (!found?.isDirectory()) return [];
  const names = await readdir(join(folder, path));
  return (await Promise.all(names.map((name) => filesBelow(folder, join(path, name))))).flat();
}

/** Passwords and keys, by the name or by the look of a value. `test` and `localhost` are in any text. */
function valuesIn(text: string): string[] {
  const lines = text.matchAll(/^[ \t]*(?:export )?["']?([\w.-]+)["']?[ \t]*[=:][ \t]*(.+)$/gm);
  const named = [...lines].flatMap(([, name = "", rest = ""]) => {
    const value = rest
      .trim()
      .replace(/[,;]$/, "")
      .replace(/^(["'])(.*)\1$/, "$2");
    const [, password] = /:\/\/[^:@/\s]*:([^@/\s]+)@/.exec(value) ?? [];
    const isNamed = /key|secret|token|pass|pwd|credential|salt|dsn/i.test(name) && value.length >= 8;
    const isRandom = /^(?=.*\d)(?=.*[a-z])[\w+/=.~-]{20,}$/i.test(value);
    const isSecret = /^\S+$/.test(value) && (isNamed || isRandom);
    return [...(isSecret ? [value] : []), ...(password !== undefined && password.length >= 8 ? [password] : [])];
  });
  return [...named, ...(text.match(/^[A-Za-z0-9+/=]{40,}$/gm) ?? [])];
}

async function withoutKnown(folder: string, values: readonly string[]): Promise<string[]> {
  if (values.length === 0) return [];
  const file = `${noted(folder)}.values`;
  try {
    // Not as words of a command, which everyone on the machine can read.
    await writeFile(file, `${values.join("\n")}\n`, { mode: 0o600 });
    const { output } = await gitEnd(folder, "grep", "-h", "-o", "-F", "-f", file, "HEAD");
    const known = new Set(output.split("\n"));
    return values.filter((value) => !known.has(value));
  } finally {
    await rm(file, { force: true });
  }
}

/** Why a file may not be committed; null if it may. */
export async function whyHeld(folder: string, copied: Copied, path: string): Promise<string | null> {
  if (copied.paths.includes(path)) return "copied by the rules";
  const found = await lstat(join(folder, path)).catch(() => null);
  if (!found?.isFile() || found.size > mostBytes) return null;
  const text = await readFile(join(folder, path), "utf8").catch(() => "");
  const isHeld =
    copied.values.some((value) => text.includes(value)) ||
    copied.blobs.includes(await git(folder, "hash-object", "--", path));
  return isHeld ? "has what is in a copied file" : null;
}

/** Names what the agent's own commits have of it; null if nothing. */
export async function copiedInCommits(folder: string, since: string): Promise<string | null> {
  const copied = await copiedInto(folder);
  if (copied === null) return null;
  const range = `${since}..HEAD`;
  const names = await gitPaths(folder, "log", "--format=", "--name-only", range);
  const objects = (await git(folder, "rev-list", "--objects", range)).split("\n");
  const blobs = objects.filter((line) => copied.blobs.includes(line.slice(0, line.indexOf(" "))));
  const plain = ["--no-ext-diff", "--no-textconv", "--unified=0"];
  const { output } = await gitEnd(folder, "log", "--format=", "--patch", ...plain, range);
  const held = new Set([
    ...names.filter((name) => copied.paths.includes(name)),
    ...blobs.map((line) => line.slice(line.indexOf(" ") + 1)),
    ...patchesOf(output).flatMap(({ path, patch }) =>
      copied.values.some((value) => patch.includes(value)) ? path : [],
    ),
  ]);
  if (held.size === 0) return null;
  return `Files that were copied here, or what is in them, never go on a branch: take ${[...held].slice(0, 20).join(", ")} out of all commits of this work.`;
}

function patchesOf(output: string): { path: string; patch: string }[] {
  return output
    .split(/^diff --git /m)
    .map((patch) => ({
      path: /^\+\+\+ "?b\/(.+?)"?$/m.exec(patch)?.[1] ?? "a file",
      patch: patch.replace(/^(?!\+).*$/gm, ""),
    }));
}
