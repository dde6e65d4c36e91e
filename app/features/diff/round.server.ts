import { createHash } from "node:crypto";
import type { DiffFile, JobDiff } from "~/contract/job-diff";
import { RecentlyMade } from "~/features/markdown/recently-made.server";
import type { ComparedFile, ComparedLines, Comparison } from "./compare-files";
import { askThread } from "./thread.server";

/** A file as a round of the work changed it. */
export interface RoundFile {
  file: DiffFile;
  /** Its place among the files of the later diff; those that are there no more come after them. */
  index: number;
  /** Why it is not shown line by line. */
  note?: string;
}

/** The same file in the two diffs, the one or the other of which may not name it. */
interface Pair {
  before: DiffFile | null;
  now: DiffFile | null;
  index: number;
}

/** So many pairs of lines are looked at for all files of a diff; the lines of what comes after that count as written anew. */
const mostPairs = 2_000_000;
/** Characters of comparisons that are kept, so that a round seen again costs nothing. */
const mostKept = 8_000_000;
const kept = new RecentlyMade<ComparedLines | null>(mostKept);

/**
 * What changed between two attempts. Both diffs begin at the same commit, so what the one and the other made of its lines can be
 * told from the diffs alone; lines that neither touched are the same. `wanted` is the place of a file that alone is asked for.
 */
export async function roundOf(
  before: JobDiff,
  now: JobDiff,
  viewer: string,
  wanted?: number,
): Promise<RoundFile[]> {
  const isSameBase = before.base_sha === now.base_sha;
  const files: RoundFile[] = [];
  let pairs = mostPairs;
  const compare = async (old: DiffFile | null, file: DiffFile | null) => {
    const question = { before: compared(old), now: compared(file), isSameBase, pairs };
    const lines = await compareOnce(question, viewer);
    if (lines === null) return null;
    const { patch, additions, deletions } = lines;
    pairs -= lines.pairs;
    return { patch, additions, deletions };
  };
  for (const pair of pairsOf(before, now)) {
    if (wanted !== undefined && pair.index !== wanted) continue;
    const change = pair.now ? await changeOf(pair, compare) : await returnOf(pair, compare);
    if (change) files.push({ index: pair.index, ...change });
  }
  return files.filter(
    ({ file, note }) => note !== undefined || file.patch !== "" || file.status === "renamed",
  );
}

function pairsOf(before: JobDiff, now: JobDiff): Pair[] {
  const earlier = new Map(before.files.map((file) => [file.path, file]));
  const pairs = now.files.flatMap((file, index): Pair[] => {
    const old = earlier.get(file.path) ?? null;
    earlier.delete(file.path);
    return old && isSame(old, file) ? [] : [{ before: old, now: file, index }];
  });
  const gone = [...earlier.values()].map(
    (file, place): Pair => ({ before: file, now: null, index: now.files.length + place }),
  );
  return [...pairs, ...gone];
}

function isSame(old: DiffFile, file: DiffFile): boolean {
  return (
    old.patch !== undefined &&
    old.patch === file.patch &&
    !old.truncated &&
    old.old_path === file.old_path
  );
}

type Compare = (
  old: DiffFile | null,
  file: DiffFile | null,
) => Promise<Omit<ComparedLines, "pairs" | "isRough"> | null>;
type Change = Omit<RoundFile, "index"> | null;

async function changeOf({ before, now: file }: Pair, compare: Compare): Promise<Change> {
  if (!file) return null;
  const lines = before?.old_path === file.old_path ? await compare(before, file) : null;
  if (lines === null) return { file, note: "Compared with where the work started." };
  return { file: { ...file, ...lines, status: before === null ? file.status : "modified" } };
}

/** The file of an earlier attempt that the later one leaves as it was before the work. */
async function returnOf({ before: file }: Pair, compare: Compare): Promise<Change> {
  if (!file) return null;
  const { patch: _patch, old_path: _old, ...named } = file;
  const status = file.status === "added" ? ("deleted" as const) : ("modified" as const);
  const lines = file.old_path === undefined ? await compare(file, null) : null;
  const note = "Restored to its original state.";
  return { file: { ...named, status, additions: 0, deletions: 0, ...lines }, note };
}

function compared(file: DiffFile | null): ComparedFile | null {
  if (file === null) return null;
  const { patch, truncated, binary, status } = file;
  return { patch, truncated, binary, status };
}

/**
 * What takes the thread too long is not compared; what only waited too long is, when somebody asks again. What other files left too
 * few pairs for is not kept: somebody else may ask for it beside other files, or alone.
 */
async function compareOnce(question: Comparison, viewer: string): Promise<ComparedLines | null> {
  const { before, now, isSameBase } = question;
  const key = createHash("sha256")
    .update(JSON.stringify([before, now, isSameBase]))
    .digest("base64");
  const known = kept.get(key);
  if (known !== undefined) return known && { ...known, pairs: 0 };
  const outcome = await askThread({ compare: question }, viewer);
  if (outcome === "too-busy") return null;
  const made: ComparedLines | null = outcome === "too-heavy" ? null : JSON.parse(outcome.made);
  const isFinal = !made?.isRough || question.pairs === mostPairs;
  if (isFinal) kept.keep(key, made, 200 + (made?.patch.length ?? 0));
  return made;
}
