import { lstat, mkdir, readdir, readFile, realpath, rename, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { z } from "zod";
import { writeWhole } from "../base/files";
import { reporterOf } from "./checkout";
import { git, gitPaths } from "./git";
import { asideEnd, contextFolder } from "./worktree";

/**
 * Without files that are in no commit: ignored by the agent's own rules, or left out by the worker. What main ignores
 * stays, as nothing here could make it again. All is put back, even what a killed worker had set aside.
 */
export async function withoutExtras<T>(folder: string, main: string, work: () => Promise<T>): Promise<T> {
  await putBack(folder);
  const extras = await extrasOf(folder, main);
  await setAside(folder, [...extras, ...(await contextOf(folder))]);
  if (extras.length > 0) reporterOf(folder)("In no commit, and set aside for the tests", extras);
  try {
    return await work();
  } finally {
    await putBack(folder);
  }
}

/** The worker's files for the agent, who may have added more. */
async function contextOf(folder: string): Promise<string[]> {
  const found = await lstat(join(folder, contextFolder)).catch(() => null);
  return found === null ? [] : [contextFolder];
}

async function extrasOf(folder: string, main: string): Promise<string[]> {
  const list = ["ls-files", "--others", "--exclude-standard", "--directory"];
  const untracked = await gitPaths(folder, ...list);
  const ignored = await gitPaths(folder, ...list, "--ignored");
  const found = [...new Set([...untracked, ...ignored])].filter(
    (path) => !/(^|\/)(?:node_modules|\.venv)(\/|$)/.test(path),
  );
  if (found.length === 0) return [];
  const rules = `${folder}${asideEnd}`;
  try {
    await standIns(folder, rules, found, main);
    const own = await git(folder, "rev-parse", "--absolute-git-dir");
    const gitOptions = [`--git-dir=${own}`, `--work-tree=${rules}`];
    const seen = await gitPaths(rules, ...gitOptions, "ls-files", "--others", "--exclude-standard");
    return found.filter((path) =>
      path.endsWith("/") ? seen.some((one) => one.startsWith(path)) : seen.includes(path),
    );
  } finally {
    await rm(rules, { recursive: true, force: true });
  }
}

/** The main branch's rules over empty files of the same names, so that git says which of them it ignores there. */
async function standIns(folder: string, asideFolder: string, found: readonly string[], main: string): Promise<void> {
  const names = await gitPaths(folder, "ls-tree", "-r", "--full-tree", "--name-only", main);
  await mkdir(asideFolder);
  for (const name of names.filter((one) => basename(one) === ".gitignore")) {
    await mkdir(dirname(join(asideFolder, name)), { recursive: true });
    await writeFile(join(asideFolder, name), await git(folder, "show", `${main}:${name}`));
  }
  for (const path of found) {
    const [inside = "some"] = path.endsWith("/") ? await readdir(join(folder, path)) : [""];
    const file = join(asideFolder, path, inside);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, "", { flag: "a" });
  }
}

const listName = "list.json";

async function setAside(folder: string, paths: readonly string[]): Promise<void> {
  if (paths.length === 0) return;
  const asideFolder = `${folder}${asideEnd}`;
  await mkdir(asideFolder);
  await writeWhole(join(asideFolder, listName), JSON.stringify(paths));
  for (const [index, path] of paths.entries()) {
    await rename(join(folder, path), join(asideFolder, String(index)));
  }
}

async function putBack(folder: string): Promise<void> {
  const asideFolder = `${folder}${asideEnd}`;
  const text = await readFile(join(asideFolder, listName), "utf8").catch(() => "[]");
  for (const [index, path] of z.array(z.string()).parse(JSON.parse(text)).entries()) {
    const to = join(folder, path);
    await mkdir(dirname(to), { recursive: true }).catch(() => undefined);
    // A test may have put a link there that leads elsewhere.
    if ((await realpath(dirname(to)).catch(() => null)) !== join(await realpath(folder), dirname(path))) continue;
    await rm(to, { recursive: true, force: true });
    await rename(join(asideFolder, String(index)), to).catch(() => undefined);
  }
  await rm(asideFolder, { recursive: true, force: true });
}
