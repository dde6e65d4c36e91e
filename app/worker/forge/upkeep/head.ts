import { PeoplesWords } from "../../base/peoples-words";
import { commitTexts, type TextFile } from "../../git/commit-texts";
import { gitEnd, isAncestor } from "../../git/git";
import type { Repository } from "../../git/repository";
import { baseEnd } from "../../git/worktree";

interface Place {
  repository: Repository;
  worktrees: string;
  name: string;
  branch: string;
  message: string;
}

/**
 * The commit for the branch: the main branch with the changes, on top of what the branch has, so that it only moves
 * forward and what people pushed to it stays.
 */
export async function headWith(
  place: Place,
  main: string,
  tip: string | null,
  changes: (tree: string) => Promise<TextFile[]>,
): Promise<string> {
  const { repository, worktrees, message } = place;
  const { folder } = repository;
  const isNew = tip === null || (await isAncestor(folder, tip, main));
  const hasMain = !isNew && (await isAncestor(folder, main, tip));
  const parents = isNew ? [main] : hasMain ? [tip] : [tip, main];
  const tree = isNew ? main : hasMain ? tip : await mergedTree(place, main, tip);
  if (!isNew && (await changes(tip)).length === 0) return tip;
  const files = await changes(tree);
  const name = `${place.name}${baseEnd}`;
  return commitTexts({ repository, parent: worktrees, name, tree, files, parents, message });
}

async function mergedTree({ repository, branch }: Place, main: string, tip: string) {
  const words = ["merge-tree", "--write-tree", "--name-only", "--no-messages", "-z", tip, main];
  const end = await gitEnd(repository.folder, ...words);
  const [tree = "", ...files] = end.output.split("\0").filter((part) => part !== "");
  if (end.code === 0) return tree;
  if (end.code !== 1) throw new Error(`git merge-tree failed: ${end.problem}`);
  throw new PeoplesWords(
    `Branch ${branch} does not merge with the main branch (${files.join(", ").slice(0, 300)}). Resolve it there, or close its pull request and delete the branch.`,
  );
}
