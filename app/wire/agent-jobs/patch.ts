/** A line of a patch with its line number on each side, or null. */
export interface PatchLine {
  kind: "same" | "added" | "deleted";
  text: string;
  old: number | null;
  new: number | null;
  /** Last line of its file, without a newline at the end. */
  isUnended?: boolean;
}

export interface Hunk {
  /** The line of code that git shows in the hunk header. */
  heading: string;
  oldStart: number;
  newStart: number;
  lines: PatchLine[];
}

export interface Patch {
  /** Header lines before the first hunk, one array per file. */
  headers: string[][];
  hunks: Hunk[];
  /** True if every line belongs to a header or a hunk, and every hunk has its declared length. */
  isWhole: boolean;
}

const kinds = { " ": "same", "+": "added", "-": "deleted" } as const;
const hunkHead = /^@@ -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@ ?(.*)$/;

/** Parses a patch of git from an untrusted source. Never throws: skips unknown lines and clears `isWhole`. */
export function parsePatch(text: string): Patch {
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  const patch: Patch = { headers: [], hunks: [], isWhole: true };
  let index = 0;
  while (index < lines.length) {
    const line = lines[index] ?? "";
    const head = hunkHead.exec(line);
    if (line.startsWith("diff --git ")) {
      const end = endOfHeader(lines, index + 1);
      patch.headers.push(lines.slice(index, end));
      index = end;
    } else if (head !== null) {
      index = readHunk(patch, lines, index + 1, head);
    } else {
      patch.isWhole = false;
      index += 1;
    }
  }
  return patch;
}

function endOfHeader(lines: readonly string[], start: number): number {
  let index = start;
  while (index < lines.length && !/^(?:@@ |diff --git )/.test(lines[index] ?? "")) index += 1;
  return index;
}

function readHunk(patch: Patch, lines: readonly string[], start: number, head: RegExpExecArray): number {
  const hunk: Hunk = { heading: head[5] ?? "", oldStart: Number(head[1]), newStart: Number(head[3]), lines: [] };
  patch.hunks.push(hunk);
  let oldLeft = Number(head[2] ?? 1);
  let newLeft = Number(head[4] ?? 1);
  let oldLine = hunk.oldStart;
  let newLine = hunk.newStart;
  let index = start;
  for (; index < lines.length; index += 1) {
    const line = lines[index] ?? "";
    const last = hunk.lines.at(-1);
    if (line.startsWith("\\") && last) {
      last.isUnended = true;
      continue;
    }
    if (oldLeft <= 0 && newLeft <= 0) break;
    const kind = kindOf(line);
    if (kind === null) break;
    const isOld = kind !== "added";
    const isNew = kind !== "deleted";
    hunk.lines.push({ kind, text: line.slice(1), old: isOld ? oldLine : null, new: isNew ? newLine : null });
    if (isOld) {
      oldLine += 1;
      oldLeft -= 1;
    }
    if (isNew) {
      newLine += 1;
      newLeft -= 1;
    }
  }
  if (oldLeft !== 0 || newLeft !== 0) patch.isWhole = false;
  return index;
}

/** An empty line is an unchanged empty line: some mailers and editors remove the leading space. */
function kindOf(line: string): PatchLine["kind"] | null {
  const sign = line[0] ?? " ";
  return sign === " " || sign === "+" || sign === "-" ? kinds[sign] : null;
}
