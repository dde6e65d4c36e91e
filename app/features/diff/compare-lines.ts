export interface Line {
  text: string;
  /** The last line of the file, without a line end. */
  isUnended: boolean;
}

/** Consecutive lines, and the number of the first. */
export interface Stretch {
  lines: readonly Line[];
  start: number;
}

interface Step {
  sign: " " | "-" | "+";
  line: Line;
  old: number;
  next: number;
}

/** Unchanged lines shown around a change. */
const context = 3;

/** How many line pairs may still be compared. */
interface Budget {
  pairs: number;
  /** The budget was too small. */
  isSpent: boolean;
}

/**
 * Returns the change from old to new as hunks of a patch. Beyond the budget, everything between the first and the last
 * difference counts as replaced.
 */
export function compareLines(old: Stretch, next: Stretch, budget: Budget) {
  const steps = stepsOf(old, next, budget);
  const count = (sign: Step["sign"]) => steps.filter((step) => step.sign === sign).length;
  return { patch: hunksOf(steps).join(""), additions: count("+"), deletions: count("-") };
}

function stepsOf(old: Stretch, next: Stretch, budget: Budget): Step[] {
  const [a, b] = [old.lines, next.lines];
  let before = 0;
  while (before < a.length && before < b.length && isSame(a[before], b[before])) before += 1;
  let after = 0;
  while (
    after < a.length - before &&
    after < b.length - before &&
    isSame(a[a.length - 1 - after], b[b.length - 1 - after])
  ) {
    after += 1;
  }
  const steps: Step[] = [];
  let [at, to] = [0, 0];
  const take = (sign: Step["sign"]): void => {
    const line = sign === "+" ? b[to] : a[at];
    if (line) steps.push({ sign, line, old: old.start + at, next: next.start + to });
    if (sign !== "+") at += 1;
    if (sign !== "-") to += 1;
  };
  for (let index = 0; index < before; index += 1) take(" ");
  const middle = [a.slice(before, a.length - after), b.slice(before, b.length - after)] as const;
  for (const sign of signsOf(...middle, budget)) take(sign);
  for (let index = 0; index < after; index += 1) take(" ");
  return steps;
}

/** Finds the smallest set of removed and added lines by longest common subsequence. */
function signsOf(a: readonly Line[], b: readonly Line[], budget: Budget): Step["sign"][] {
  const [rows, columns] = [a.length, b.length];
  if (rows * columns > budget.pairs) {
    budget.isSpent = true;
    return [...a.map(() => "-" as const), ...b.map(() => "+" as const)];
  }
  budget.pairs -= rows * columns;
  const width = columns + 1;
  const common = new Uint32Array((rows + 1) * width);
  const at = (row: number, column: number) => common[row * width + column] ?? 0;
  for (let row = rows - 1; row >= 0; row -= 1) {
    for (let column = columns - 1; column >= 0; column -= 1) {
      common[row * width + column] = isSame(a[row], b[column])
        ? at(row + 1, column + 1) + 1
        : Math.max(at(row + 1, column), at(row, column + 1));
    }
  }
  const signs: Step["sign"][] = [];
  for (let [row, column] = [0, 0]; row < rows || column < columns; ) {
    const isBoth = row < rows && column < columns && isSame(a[row], b[column]);
    const goes = row < rows && (column === columns || at(row + 1, column) >= at(row, column + 1));
    signs.push(isBoth ? " " : goes ? "-" : "+");
    if (isBoth || goes) row += 1;
    if (isBoth || !goes) column += 1;
  }
  return signs;
}

function isSame(one: Line | undefined, other: Line | undefined): boolean {
  return one?.text === other?.text && one?.isUnended === other?.isUnended;
}

function hunksOf(steps: readonly Step[]): string[] {
  const hunks: string[] = [];
  const changes = steps.flatMap(({ sign }, index) => (sign === " " ? [] : [index]));
  for (let index = 0; index < changes.length; ) {
    const first = changes[index] ?? 0;
    let last = first;
    for (; (changes[index] ?? Number.POSITIVE_INFINITY) - last <= context * 2 + 1; index += 1) {
      last = changes[index] ?? last;
    }
    hunks.push(hunkOf(steps.slice(Math.max(0, first - context), last + 1 + context)));
  }
  return hunks;
}

function hunkOf(steps: readonly Step[]): string {
  const [first] = steps;
  const range = (start: number, sign: Step["sign"]) => {
    const count = steps.filter((step) => step.sign !== sign).length;
    return `${count === 0 ? start - 1 : start},${count}`;
  };
  const head = `@@ -${range(first?.old ?? 1, "+")} +${range(first?.next ?? 1, "-")} @@\n`;
  const lines = steps.map(
    ({ sign, line }) =>
      `${sign}${line.text}\n${line.isUnended ? "\\ No newline at end of file\n" : ""}`,
  );
  return `${head}${lines.join("")}`;
}
