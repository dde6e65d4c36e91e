import type { Upkeep } from "~/nouns/upkeep/contract";
import { readTextAt, type TextFile } from "../../git/commit-texts";
import { gitPaths } from "../../git/git";
import { withLessons } from "./lessons-block";
import { withTicks } from "./spec-boxes";

/** The files of a tree that are not as they should be, as they should be. */
export async function changesOf(folder: string, tree: string, upkeep: Upkeep): Promise<TextFile[]> {
  const { kind, content: lessons, product, has_landed: hasLanded } = upkeep;
  if (kind === "spec_boxes") return boxChanges(folder, tree, upkeep.content);
  const file = await readTextAt(folder, tree, "AGENTS.md");
  const text = withLessons(file.text, { lessons, product, hasLanded });
  return text === file.text ? [] : [{ ...file, text }];
}

const listed = /^((?:.*\/)?specs\/)([^/]+)\/tasks\.md$/;

/** Features are below the folder `specs` that is nearest to the root, as in the import. */
async function boxChanges(
  folder: string,
  tree: string,
  done: readonly string[],
): Promise<TextFile[]> {
  const numbers = new Map<string, Set<string>>();
  for (const id of done) {
    const [feature = "", number = ""] = id.split("/");
    numbers.set(feature, (numbers.get(feature) ?? new Set()).add(number));
  }
  const paths = await gitPaths(folder, "ls-tree", "-r", "--full-tree", "--name-only", tree);
  const found = paths.flatMap((path) => {
    const [, root, feature = ""] = listed.exec(path) ?? [];
    const ticks = numbers.get(feature);
    return root === undefined || ticks === undefined ? [] : [{ path, root, ticks }];
  });
  const nearest = Math.min(...found.map(({ root }) => root.length));
  const changes: TextFile[] = [];
  for (const { path, root, ticks } of found) {
    if (root.length > nearest) continue;
    const file = await readTextAt(folder, tree, path);
    const text = withTicks(file.text ?? "", ticks);
    if (text !== file.text) changes.push({ ...file, text });
  }
  return changes;
}
