export interface Line {
  text: string;
  /** The last line of the file, without a line end. */
  isUnended: boolean;
}

/** How many line pairs may still be compared. */
export interface Budget {
  pairs: number;
  /** The budget was too small. */
  isSpent: boolean;
}

function isSameLine(one: Line | undefined, other: Line | undefined): boolean {
  return one?.text === other?.text && one?.isUnended === other?.isUnended;
}

type Sign = " " | "-" | "+";

/** The smallest set, by longest common subsequence. Beyond the budget all between the same ends counts as replaced. */
export function signsOf(a: readonly Line[], b: readonly Line[], budget: Budget): Sign[] {
  const most = Math.min(a.length, b.length);
  let start = 0;
  while (start < most && isSameLine(a[start], b[start])) start += 1;
  let end = 0;
  while (end < most - start && isSameLine(a.at(-1 - end), b.at(-1 - end))) end += 1;
  const between = signsBetween(a.slice(start, a.length - end), b.slice(start, b.length - end), budget);
  return [...Array<Sign>(start).fill(" "), ...between, ...Array<Sign>(end).fill(" ")];
}

function signsBetween(a: readonly Line[], b: readonly Line[], budget: Budget): Sign[] {
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
      common[row * width + column] = isSameLine(a[row], b[column])
        ? at(row + 1, column + 1) + 1
        : Math.max(at(row + 1, column), at(row, column + 1));
    }
  }
  const signs: Sign[] = [];
  for (let [row, column] = [0, 0]; row < rows || column < columns; ) {
    const isBoth = row < rows && column < columns && isSameLine(a[row], b[column]);
    const goes = row < rows && (column === columns || at(row + 1, column) >= at(row, column + 1));
    signs.push(isBoth ? " " : goes ? "-" : "+");
    if (isBoth || goes) row += 1;
    if (isBoth || !goes) column += 1;
  }
  return signs;
}
