import { createHash } from "node:crypto";
import { isFoldedFile } from "~/contract/folded-files";
import type { DiffFile, JobDiff } from "~/contract/job-diff";
import { showLines } from "./show-lines.server";
import type { ShownFile } from "./shown-diff";

/** A page brings so many lines along; the others come as somebody scrolls to them. */
const linesAtOnce = 800;

/**
 * The files of a diff, the first of them with their lines; `open` is one that is wanted although it is folded. With the diff of
 * an earlier attempt only those that are not as they were then.
 */
export async function showDiff(
  { files }: JobDiff,
  open: number | null,
  before: JobDiff | null = null,
): Promise<ShownFile[]> {
  let left = linesAtOnce;
  const known = new Map(before?.files.map(({ path, patch }) => [path, patch]));
  const named = files
    .map((file, index) => ({ file, index }))
    .filter(({ file: { path, patch } }) => patch === undefined || known.get(path) !== patch);
  return Promise.all(
    named.map(async ({ file, index }) => {
      const shown = nameFile(file, index);
      left -= shown.lineCount;
      const isWanted = index === open || (left >= 0 && !shown.folded);
      return isWanted ? { ...shown, hunks: await showLines(file) } : shown;
    }),
  );
}

/** One file with its lines. */
export async function showFile({ files }: JobDiff, index: number): Promise<ShownFile | null> {
  const file = files[index];
  return file ? { ...nameFile(file, index), hunks: await showLines(file) } : null;
}

function nameFile({ patch, ...file }: DiffFile, index: number): ShownFile {
  const lineCount = patch === undefined ? 0 : patch.split("\n").length - 1;
  const folded = file.folded === true || isFoldedFile(file.path) || file.binary;
  const key = createHash("sha256")
    .update(`${file.path}\n${patch}`)
    .digest("base64url")
    .slice(0, 12);
  return { ...file, index, key, lineCount, folded, hunks: patch === undefined ? [] : null };
}
