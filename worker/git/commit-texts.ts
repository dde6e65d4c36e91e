import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { uninterrupted } from "../base/interruption";
import { PeoplesWords } from "../base/problems";
import { committer, git, gitEnd } from "./git";
import type { Repository } from "./repository";
import { makeFolder, removeFolder } from "./worktree";

export type TextFile = { path: string; mode: string; text: string | null };

const largest = 1_048_576;

/** Reads a file byte by byte as it was committed, without what git would do to its line ends in a checkout. */
export async function readTextAt(folder: string, tree: string, path: string): Promise<TextFile> {
  const entry = await git(folder, "ls-tree", "--full-tree", tree, "--", path);
  const [mode = "", type, object] = entry.split(/\s/);
  if (object === undefined) return { path, mode: "100644", text: null };
  if (mode === "120000")
    throw new PeoplesWords(
      `${path} is a symbolic link, and nothing is written through one. Make it a plain file; the file that it points to can be the link.`,
    );
  if (type !== "blob" || !mode.startsWith("100"))
    throw new PeoplesWords(`${path} is not a file. Make it a plain file.`);
  if (Number(await git(folder, "cat-file", "-s", object)) > largest)
    throw new PeoplesWords(`${path} is larger than 1 MB. Make it smaller.`);
  const { output, code, problem } = await gitEnd(folder, "cat-file", "blob", object);
  if (code !== 0) throw new Error(`git cat-file failed: ${problem}`);
  if (output.includes("\ufffd")) throw new PeoplesWords(`${path} cannot be read as UTF-8. Save it as UTF-8.`);
  return { path, mode, text: output };
}

interface Commit {
  repository: Repository;
  /** Folder for a short-lived checkout, and its name there. */
  parent: string;
  name: string;
  tree: string;
  files: readonly TextFile[];
  parents: readonly string[];
  message: string;
}

/** Commits a tree with these files changed, byte by byte. Nothing is checked out, and no hook or filter runs. */
export async function commitTexts(options: Commit): Promise<string> {
  const { repository, parents } = options;
  const folder = join(options.parent, options.name);
  const base = parents[0] ?? options.tree;
  await removeFolder(repository.folder, folder);
  try {
    await makeFolder(folder, repository, ["--no-checkout", "--detach", base], base);
    await git(folder, "read-tree", options.tree);
    for (const file of options.files) await stageText(folder, file);
    const tree = await git(folder, "write-tree");
    const args = [...parents.flatMap((commit) => ["-p", commit]), "-m", options.message];
    return await git(folder, ...committer, "commit-tree", ...args, tree);
  } finally {
    await uninterrupted(() => removeFolder(repository.folder, folder));
  }
}

async function stageText(folder: string, { path, mode, text }: TextFile): Promise<void> {
  if (text === null) {
    await git(folder, "update-index", "--force-remove", "--", path);
    return;
  }
  const folderPath = join(folder, ".backloom-text");
  await writeFile(folderPath, text);
  const object = await git(folder, "hash-object", "-w", "--no-filters", "--", folderPath);
  await git(folder, "update-index", "--add", "--cacheinfo", `${mode},${object},${path}`);
}
