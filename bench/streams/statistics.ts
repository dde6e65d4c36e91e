import { appendFileSync } from "node:fs";

/** The value below which the given share of the numbers lies. */
export function percentile(numbers: readonly number[], share: number): number {
  const sorted = [...numbers].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

export function median(numbers: readonly number[]): number {
  return percentile(numbers, 0.5);
}

/** How long something takes, in milliseconds. */
export async function millisecondsOf(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

/** The n-th arrival of a task belongs to the n-th time that it was sent: milliseconds between them, and which it was. */
export function latenciesOf(sent: readonly (readonly [string, number])[], arrivals: readonly [string, number][]) {
  const times = new Map<string, number[]>();
  for (const [id, at] of sent) times.set(id, [...(times.get(id) ?? []), at]);
  return arrivals.flatMap(([id, at]) => {
    const waiting = times.get(id) ?? [];
    const sentAt = waiting.shift();
    return sentAt === undefined ? [] : [{ change: `${id} ${waiting.length}`, milliseconds: at - sentAt }];
  });
}

/** The median ratio of two figures that are measured in turn, round by round; the first round only warms up. */
export async function medianRatio(
  rounds: number,
  measure: () => Promise<readonly [ours: number, theirs: number]>,
  say: (ours: number, theirs: number) => string,
): Promise<number> {
  const ratios: number[] = [];
  for (let round = 0; round <= rounds; round++) {
    const [ours, theirs] = await measure();
    if (round === 0) continue;
    ratios.push(ours / theirs);
    console.log(`     ${say(Math.round(ours), Math.round(theirs))}`);
  }
  return median(ratios);
}

/** One line of the report, which `run.mjs` repeats at the end: the floor, what was measured, and whether it holds. */
export function verdict(name: string, value: number, floor: number, better: "higher" | "lower"): string {
  const holds = better === "higher" ? value >= floor : value <= floor;
  const sign = better === "higher" ? ">=" : "<=";
  const line = `${holds ? "held  " : "BROKEN"} ${name}: ${value.toFixed(2)} (floor ${sign} ${floor})`;
  if (process.env.BENCH_FLOORS !== undefined) appendFileSync(process.env.BENCH_FLOORS, `${line}\n`);
  return line;
}
