/** The value below which the given share of the numbers lies. */
export function percentile(numbers: readonly number[], share: number): number {
  const sorted = [...numbers].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

export function median(numbers: readonly number[]): number {
  return percentile(numbers, 0.5);
}

/** One line of the report: the goal, what was measured, and whether it holds. */
export function verdict(name: string, value: number, goal: number, better: "higher" | "lower"): string {
  const holds = better === "higher" ? value >= goal : value <= goal;
  const sign = better === "higher" ? ">=" : "<=";
  return `${holds ? "ok  " : "MISS"} ${name}: ${value.toFixed(2)} (goal ${sign} ${goal})`;
}
