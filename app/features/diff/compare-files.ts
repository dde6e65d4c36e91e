import { joinPatches, patchText } from "~/nouns/reviews/join-patches";
import type { DiffFile } from "~/wire/agent-jobs/job-diff";
import { type Hunk, parsePatch } from "~/wire/agent-jobs/patch";

/** A file's entries in two diffs; null in a diff that does not list it. */
export interface Comparison {
  before: ComparedFile | null;
  now: ComparedFile | null;
  /** Whether both diffs start at the same commit. */
  isSameBase: boolean;
  /** Maximum number of line pairs to compare. */
  pairs: number;
}

export type ComparedFile = Pick<DiffFile, "patch" | "truncated" | "binary" | "status">;

/** The change from one version to the other as a patch, and the number of line pairs compared. */
export interface ComparedLines {
  patch: string;
  additions: number;
  deletions: number;
  pairs: number;
  /** Whether a larger `pairs` would give a more precise result. */
  isRough: boolean;
}

/** Returns null if the diffs do not contain enough. A null side means the unchanged original file. */
export function compareFiles({ before, now, isSameBase, pairs }: Comparison): ComparedLines | null {
  const [left, right] = [before, now].map((side) => (side === null ? "" : textOf(side)));
  if (left === undefined || right === undefined || left === null || right === null) return null;
  const [one, other] = [originalOf(left), originalOf(right)];
  const isOne = one === null || other === null ? isSameBase : isSameBlob(one, other);
  if (!isOne) return null;
  const budget = { pairs, isSpent: false };
  const hunks = joinPatches([reversed(left), right], budget);
  if (hunks === null) return null;
  const lines = hunks.flatMap((hunk) => hunk.lines);
  const count = (kind: string) => lines.filter((line) => line.kind === kind).length;
  return {
    patch: patchText(hunks),
    additions: count("added"),
    deletions: count("deleted"),
    pairs: pairs - budget.pairs,
    isRough: budget.isSpent,
  };
}

function textOf({ patch, truncated, binary, status }: ComparedFile): string | null {
  const isText = status !== "submodule" && status !== "type_changed" && !binary;
  if (patch === undefined || truncated || !isText) return null;
  const { headers, isWhole } = parsePatch(patch);
  return isWhole && headers.length <= 1 ? patch : null;
}

/** Git's hash of the original content. */
function originalOf(patch: string): string | null {
  const [header = []] = parsePatch(patch).headers;
  const index = header.find((line) => line.startsWith("index ")) ?? "";
  return /^index ([0-9a-f]+)\.\./.exec(index)?.[1] ?? null;
}

function isSameBlob(one: string, other: string): boolean {
  const length = Math.min(one.length, other.length);
  return one.slice(0, length) === other.slice(0, length);
}

const opposite = { same: "same", added: "deleted", deleted: "added" } as const;

function reversed(patch: string): string {
  const back = ({ oldStart, newStart, heading, lines }: Hunk): Hunk => ({
    heading,
    oldStart: newStart,
    newStart: oldStart,
    lines: lines.map((line) => ({ ...line, kind: opposite[line.kind], old: line.new, new: line.old })),
  });
  return patchText(parsePatch(patch).hunks.map(back));
}
