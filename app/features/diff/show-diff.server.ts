import { createHash } from "node:crypto";
import type { JobDiff } from "~/nouns/agent-jobs/job-diff";
import { isFoldedFile } from "~/nouns/job-reviews/folded-files";
import { type RoundFile, roundOf } from "./round.server";
import { showLines } from "./show-lines.server";
import type { ShownFile } from "./shown-diff";

/** Lines sent with the page; the rest load on scroll. */
const linesAtOnce = 800;

/** Who asks, and for which comparison. */
interface Asked {
  /** The user whose turn in the thread's queue is used. */
  viewer: string;
  /** Earlier attempt to compare with: only files and lines changed since are shown. */
  before?: JobDiff | null;
}

/** Returns the files of a diff, or what changed in them. */
export async function changedFiles(diff: JobDiff, { viewer, before }: Asked): Promise<RoundFile[]> {
  return before ? roundOf(before, diff, viewer) : filesOf(diff);
}

/** Returns files, the first ones with lines. `open` is the index of a folded file to load too. */
export function showFiles(
  files: readonly RoundFile[],
  viewer: string,
  open: number | undefined,
): Promise<ShownFile[]> {
  let left = linesAtOnce;
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

/** Returns one file with its lines. */
export async function showFile(
  diff: JobDiff,
  index: number,
  { viewer, before }: Asked,
): Promise<ShownFile | null> {
  const files = before ? await roundOf(before, diff, viewer, index) : filesOf(diff);
  const round = files.find((each) => each.index === index);
  return round ? showOne(round, viewer) : null;
}

export async function showOne(round: RoundFile, viewer: string): Promise<ShownFile> {
  return { ...nameFile(round), hunks: await showLines(round.file, viewer) };
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
