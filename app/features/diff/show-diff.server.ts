import { createHash } from "node:crypto";
import { isFoldedFile } from "~/contract/folded-files";
import type { JobDiff } from "~/contract/job-diff";
import { type RoundFile, roundOf } from "./round.server";
import { showLines } from "./show-lines.server";
import type { ShownFile } from "./shown-diff";

/** A page brings so many lines along; the others come as somebody scrolls to them. */
const linesAtOnce = 800;

/** What is shown of a diff, and to whom. */
interface Asked {
  /** Whose turn it takes to colour and compare. */
  viewer: string;
  /** With the diff of an earlier attempt only those files that are not as they were then, and only the lines that changed since. */
  before?: JobDiff | null;
}

/** The files of a diff, the first of them with their lines; `open` is one that is wanted although it is folded. */
export async function showDiff(
  diff: JobDiff,
  { viewer, before, open }: Asked & { open?: number | undefined },
): Promise<ShownFile[]> {
  let left = linesAtOnce;
  const files = before ? await roundOf(before, diff, viewer) : filesOf(diff);
  return Promise.all(
    files.map(async (round) => {
      const { file, index } = round;
      const shown = nameFile(round);
      left -= shown.lineCount;
      const isWanted = index === open || (left >= 0 && !shown.folded);
      return isWanted ? { ...shown, hunks: await showLines(file, viewer) } : shown;
    }),
  );
}

/** One file with its lines. */
export async function showFile(
  diff: JobDiff,
  index: number,
  { viewer, before }: Asked,
): Promise<ShownFile | null> {
  const files = before ? await roundOf(before, diff, viewer, index) : filesOf(diff);
  const round = files.find((each) => each.index === index);
  return round ? { ...nameFile(round), hunks: await showLines(round.file, viewer) } : null;
}

function filesOf(diff: JobDiff): RoundFile[] {
  return diff.files.map((file, index) => ({ file, index }));
}

function nameFile({ file: { patch, ...file }, index, note }: RoundFile): ShownFile {
  const lineCount = patch === undefined ? 0 : patch.split("\n").length - 1;
  const folded = file.folded === true || isFoldedFile(file.path) || file.binary;
  const key = createHash("sha256")
    .update(`${file.path}\n${patch}`)
    .digest("base64url")
    .slice(0, 12);
  const hunks = patch === undefined ? [] : null;
  return { ...file, index, key, lineCount, folded, hunks, ...(note ? { note } : {}) };
}
