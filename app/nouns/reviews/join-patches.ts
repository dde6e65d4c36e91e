import { type Hunk, type PatchLine, parsePatch } from "~/wire/agent-jobs/patch";
import { type Budget, type Line, signsOf } from "./common-lines";

/** A line of a joined patch, and who changed it: the place of the patch that it comes from. */
interface Edited extends Line {
  kind: PatchLine["kind"];
  by: number;
}

/** What a patch says of a file from top to bottom: lines that it names, and how many it leaves out between them. */
type Op = Edited | { kind: "gap"; count: number };

export interface JoinedHunk extends Hunk {
  /** The places of the patches that changed something in it. */
  by: ReadonlySet<number>;
}

/** Lines of context around a change, as git has them. */
const context = 3;

/** Each patch is made on the one before. Null where they do not fit. The budget is for lines restored further on. */
export function joinPatches(
  patches: readonly string[],
  budget: Budget = { pairs: 0, isSpent: false },
): JoinedHunk[] | null {
  let joined: Op[] | null = null;
  for (const [by, patch] of patches.entries()) {
    const ops = opsOf(patch, by);
    if (ops === null) return null;
    joined = joined === null ? ops : join(joined, ops);
    if (joined === null) return null;
  }
  return hunksOf(settled(joined ?? [], budget));
}

/** The text of a patch, without the header of its file. */
export function patchText(hunks: readonly Hunk[]): string {
  return hunks.map((hunk) => `${headOf(hunk)}\n${hunk.lines.map(lineText).join("")}`).join("");
}

function headOf({ oldStart, newStart, lines, heading }: Hunk): string {
  const old = lines.filter(({ kind }) => kind !== "added").length;
  const next = lines.filter(({ kind }) => kind !== "deleted").length;
  const range = (start: number, count: number) => (count === 1 ? start : `${start},${count}`);
  return `@@ -${range(oldStart, old)} +${range(newStart, next)} @@${heading ? ` ${heading}` : ""}`;
}

const signs = { same: " ", added: "+", deleted: "-" } as const;

function lineText({ kind, text, isUnended }: PatchLine): string {
  return `${signs[kind]}${text}\n${isUnended ? "\\ No newline at end of file\n" : ""}`;
}

function opsOf(patch: string, by: number): Op[] | null {
  const { headers, hunks, isWhole } = parsePatch(patch);
  if (!isWhole || headers.length > 1) return null;
  const ops: Op[] = [];
  let at = 1;
  for (const { oldStart, lines } of hunks) {
    // A hunk without original lines names the line before it.
    const start = lines.find(({ old }) => old !== null)?.old ?? oldStart + 1;
    if (start < at) return null;
    if (start > at) ops.push({ kind: "gap", count: start - at });
    at = start;
    for (const { kind, text, isUnended = false } of lines) {
      ops.push({ kind, text, isUnended, by });
      if (kind !== "added") at += 1;
    }
  }
  return ops;
}

const endless = { kind: "gap", count: Number.POSITIVE_INFINITY } as const;

/** Reads a patch op by op. After its last one all is unchanged. */
class Reader {
  private index = 0;
  private used = 0;
  constructor(private readonly ops: readonly Op[]) {}

  get now(): Op {
    const op = this.ops[this.index] ?? endless;
    return op.kind === "gap" ? { kind: "gap", count: op.count - this.used } : op;
  }

  pass(lines: number): void {
    const { now } = this;
    if (now.kind === "gap" && lines < now.count) {
      this.used += lines;
      return;
    }
    this.used = 0;
    this.index += 1;
  }
}

/** What two patches do, of which the second was made on top of the first. */
function join(first: readonly Op[], second: readonly Op[]): Op[] | null {
  const joined: Op[] = [];
  const [before, after] = [new Reader(first), new Reader(second)];
  for (;;) {
    const [one, other] = [before.now, after.now];
    if (one.kind === "deleted") {
      joined.push(one);
      before.pass(1);
    } else if (other.kind === "added") {
      joined.push(other);
      after.pass(1);
    } else if (one.kind === "gap" && other.kind === "gap") {
      const count = Math.min(one.count, other.count);
      if (count === Number.POSITIVE_INFINITY) return joined;
      joined.push({ kind: "gap", count });
      before.pass(count);
      after.pass(count);
    } else {
      const line = ofBoth(one, other);
      if (line === null) return null;
      if (line !== "gone") joined.push(line);
      before.pass(1);
      after.pass(1);
    }
  }
}

/** One line of the version between the two: as the first patch left it, and what the second made of it. */
function ofBoth(one: Op, other: Op): Edited | "gone" | null {
  if (one.kind === "gap") return other.kind === "gap" ? null : other;
  if (other.kind === "gap") return one;
  if (one.text !== other.text) return null;
  if (other.kind === "same") return one;
  return one.kind === "added" ? "gone" : other;
}

/** Puts what is deleted before what is added, and takes back what one patch deleted and a later one restored. */
function settled(ops: readonly Op[], budget: Budget): Op[] {
  const done: Op[] = [];
  let [deleted, added]: [Edited[], Edited[]] = [[], []];
  const flush = (): void => {
    let [at, to] = [0, 0];
    for (const sign of signsOf(deleted, added, budget)) {
      const line = sign === "-" ? deleted[at] : added[to];
      if (line) done.push(sign === " " ? { ...line, kind: "same" } : line);
      if (sign !== "+") at += 1;
      if (sign !== "-") to += 1;
    }
    [deleted, added] = [[], []];
  };
  for (const op of ops) {
    if (op.kind === "deleted") deleted.push(op);
    else if (op.kind === "added") added.push(op);
    else {
      flush();
      done.push(op);
    }
  }
  flush();
  return done;
}

function hunksOf(ops: readonly Op[]): JoinedHunk[] {
  const hunks: JoinedHunk[] = [];
  let [old, next] = [1, 1];
  let run: PatchLine[] = [];
  let authors: number[] = [];
  const close = (): void => {
    hunks.push(...cut(run, authors, old, next));
    [run, authors] = [[], []];
  };
  for (const op of ops) {
    if (op.kind === "gap") {
      close();
      old += op.count;
      next += op.count;
      continue;
    }
    const { kind, text, isUnended, by } = op;
    const line: PatchLine = { kind, text, old: kind === "added" ? null : old, new: kind === "deleted" ? null : next };
    run.push(isUnended ? { ...line, isUnended } : line);
    authors.push(by);
    if (kind !== "added") old += 1;
    if (kind !== "deleted") next += 1;
  }
  close();
  return hunks;
}

/** The hunks of a run of known lines: each change with its context. `old` and `next` are the lines after the run. */
function cut(run: readonly PatchLine[], authors: readonly number[], old: number, next: number): JoinedHunk[] {
  const changes = run.flatMap(({ kind }, at) => (kind === "same" ? [] : [at]));
  const hunks: JoinedHunk[] = [];
  for (let first = 0; first < changes.length; ) {
    let last = first;
    while ((changes[last + 1] ?? Number.POSITIVE_INFINITY) - (changes[last] ?? 0) <= 2 * context + 1) last += 1;
    const start = Math.max(0, (changes[first] ?? 0) - context);
    const lines = run.slice(start, (changes[last] ?? 0) + context + 1);
    hunks.push({
      heading: "",
      // A side without lines names the line before it; its run ends here, as other hunks end with context.
      oldStart: lines.find((line) => line.old !== null)?.old ?? old - 1,
      newStart: lines.find((line) => line.new !== null)?.new ?? next - 1,
      lines,
      by: new Set(changes.slice(first, last + 1).map((at) => authors[at] ?? 0)),
    });
    first = last + 1;
  }
  return hunks;
}
