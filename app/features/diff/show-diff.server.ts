import { createHash } from "node:crypto";
import { RecentlyMade } from "~/features/markdown/recently-made.server";
import { picturesOf } from "~/nouns/agent-jobs/patch-pictures";
import type { DiffFile, JobDiff, ReadFile } from "~/wire/agent-jobs/job-diff";
import { isPictureName } from "~/wire/files/file-type";
import { isFoldedFile } from "~/wire/reviews/folded-files";
import type { ComparedFile, ComparedLines, Comparison } from "./compare-files";
import { askThread, showLines } from "./show-lines.server";
import type { ShownFile } from "./shown-diff";

/** Lines sent with the page; the rest load on scroll. */
const linesAtOnce = 800;

interface DiffRequest {
  /** The user whose turn in the thread's queue is used. */
  viewer: string;
  /** Earlier attempt to compare with: only files and lines changed since are shown. */
  before?: JobDiff | null;
}

/** Returns the files of a diff, or what changed in them. */
export async function changedFiles(diff: JobDiff, { viewer, before }: DiffRequest): Promise<RoundFile[]> {
  return before ? roundOf(before, diff, viewer) : filesOf(diff);
}

export function sizeOf(files: readonly { file: Pick<DiffFile, "additions" | "deletions"> }[]) {
  const sum = (key: "additions" | "deletions") => files.reduce((total, { file }) => total + file[key], 0);
  return { files: files.length, additions: sum("additions"), deletions: sum("deletions") };
}

/** Returns files, the first ones with lines. `open` is the index of a folded file to load too. */
export async function showFiles(all: readonly RoundFile[], viewer: string, open?: number): Promise<ShownFile[]> {
  let left = linesAtOnce;
  const files = all.map((round) => {
    const shown = nameFile(round);
    left -= shown.lineCount;
    return { shown, isWanted: shown.index === open || (left >= 0 && !shown.folded), file: round.file };
  });
  const wanted = files.flatMap(({ isWanted, file }) => (isWanted ? file : []));
  const lines = (await showLines(wanted, viewer)).values();
  return files.map(({ shown, isWanted }) => (isWanted ? { ...shown, hunks: lines.next().value ?? [] } : shown));
}

/** Returns one file with its lines. */
export async function showFile(
  diff: JobDiff,
  index: number,
  { viewer, before }: DiffRequest,
): Promise<ShownFile | null> {
  const files = before ? await roundOf(before, diff, viewer, index) : filesOf(diff);
  const round = files.find((each) => each.index === index);
  return round ? showOne(round, viewer) : null;
}

export async function showOne(round: RoundFile, viewer: string): Promise<ShownFile> {
  const [hunks = []] = await showLines([round.file], viewer);
  return { ...nameFile(round), hunks };
}

function filesOf(diff: JobDiff): RoundFile[] {
  return diff.files.map((file, index) => ({ file, index }));
}

function nameFile({ file: { patch, ...file }, index, note }: RoundFile): ShownFile {
  const { left_out = false, additions, deletions } = file;
  const pictures = picturesOf({ ...file, patch });
  const isShown = file.binary ? isPictureName(file.path) && (left_out || pictures.length > 0) : !left_out;
  const lineCount = left_out ? additions + deletions : file.binary ? 0 : (patch ?? "").split("\n").length - 1;
  const folded = file.folded === true || isFoldedFile(file.path) || !isShown;
  const key = createHash("sha256").update(`${file.path}\n${patch}`).digest("base64url").slice(0, 12);
  const hunks = patch === undefined && !left_out ? [] : null;
  return { ...file, index, key, lineCount, folded, hunks, pictures, ...(note ? { note } : {}) };
}

export interface RoundFile {
  file: ReadFile;
  /** Index in the later diff; files that are only in the earlier one follow. */
  index: number;
  /** Why it is not shown line by line. */
  note?: string;
}

/** A file's entries in the two diffs; null in a diff that does not list it. */
interface Pair {
  before: DiffFile | null;
  now: DiffFile | null;
  index: number;
}

/** Line pairs compared for all files of a diff. Beyond that, changed lines count as replaced. */
const mostPairs = 2_000_000;
/** Characters of comparisons to cache, so that reopening a comparison costs nothing. */
const mostKept = 8_000_000;
const kept = new RecentlyMade<ComparedLines | null>(mostKept);

/** Changes between two attempts, compared directly where both start from the same original. `wanted` is an index. */
export async function roundOf(before: JobDiff, now: JobDiff, viewer: string, wanted?: number): Promise<RoundFile[]> {
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
  return files.filter(({ file, note }) => note !== undefined || file.patch !== "" || file.status === "renamed");
}

function pairsOf(before: JobDiff, now: JobDiff): Pair[] {
  const earlier = new Map(before.files.map((file) => [file.path, file]));
  const pairs = now.files.flatMap((file, index): Pair[] => {
    const old = earlier.get(file.path) ?? null;
    earlier.delete(file.path);
    return old && isSame(old, file) ? [] : [{ before: old, now: file, index }];
  });
  const gone = [...earlier.values()].map(
    (file, index): Pair => ({ before: file, now: null, index: now.files.length + index }),
  );
  return [...pairs, ...gone];
}

function isSame(old: DiffFile, file: DiffFile): boolean {
  return old.patch !== undefined && old.patch === file.patch && !old.truncated && old.old_path === file.old_path;
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

/** A file that the earlier attempt changed and the later one leaves in its original state. */
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

/** Comparisons that take too long are cached as null; those that waited too long or got too few pairs are not. */
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
