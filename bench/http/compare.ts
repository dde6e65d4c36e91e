import { median, verdict } from "../streams/statistics";
import { cpuUsage, shareOfOthers } from "./cpu";
import { type Measured, measure } from "./load";

export interface Contest {
  name: string;
  /** What the ratio of requests never falls below, and that of the median time never rises above. */
  floors: { requests?: number; p50?: number };
  connections: number;
  next(): Buffer;
  /** What the reference is asked instead, where it does not know the same addresses. */
  nextBare?(): Buffer;
  /** Port of the service. */
  service: number;
  /** Port of the reference program, or a reference that measures itself for so many seconds. */
  bare: number | ((seconds: number) => number);
}

const rounds = Number(process.env.BENCH_ROUNDS ?? 5);
const seconds = Number(process.env.BENCH_SECONDS ?? 3);
const warmUpSeconds = Math.min(2, seconds);
/** A round in which others used more of the machine than this is repeated. */
const mostOthers = 0.15;
const mostRepeats = 10;

type Round = { service: Measured; bare: Measured; others: number };

/** Service and reference in turn, round by round; what counts is the median of the paired ratios. */
export async function compare(contest: Contest, pids: readonly number[]): Promise<void> {
  await runService(contest, warmUpSeconds);
  await runBare(contest, warmUpSeconds);
  const kept: Round[] = [];
  let repeats = 0;
  while (kept.length < rounds) {
    const round = await runRound(contest, pids);
    if (round.others <= mostOthers || repeats >= mostRepeats) kept.push(round);
    else repeats += 1;
  }
  report(contest, kept, repeats);
}

async function runRound(contest: Contest, pids: readonly number[]): Promise<Round> {
  const before = await cpuUsage(pids);
  const service = await runService(contest, seconds);
  const bare = await runBare(contest, seconds);
  return { service, bare, others: shareOfOthers(before, await cpuUsage(pids)) };
}

function runService({ service: port, connections, next }: Contest, duration: number) {
  return measure({ port, connections, next, milliseconds: duration * 1_000 });
}

function runBare(contest: Contest, duration: number): Promise<Measured> {
  const { bare, connections, next, nextBare = next } = contest;
  if (typeof bare === "number") {
    return measure({ port: bare, connections, next: nextBare, milliseconds: duration * 1_000 });
  }
  const perSecond = bare(duration);
  return Promise.resolve({ perSecond, p50: Number.NaN, p99: Number.NaN, failures: 0 });
}

function floorsOf({ name, floors }: Contest, kept: readonly Round[]): string[] {
  const ratio = (what: "perSecond" | "p50") => median(kept.map(({ service, bare }) => service[what] / bare[what]));
  const asked = [
    ["requests", floors.requests, "perSecond", "higher"],
    ["p50", floors.p50, "p50", "lower"],
  ] as const;
  return asked.flatMap(([of, floor, what, better]) =>
    floor === undefined ? [] : [verdict(`${name}: ${of} against bare`, ratio(what), floor, better)],
  );
}

const figures: readonly [string, of: (round: Round) => number, unit: string][] = [
  ["requests/s service / bare", ({ service, bare }) => service.perSecond / bare.perSecond, "x"],
  ["p50 service / bare", ({ service, bare }) => service.p50 / bare.p50, "x"],
  ["service requests/s", ({ service }) => service.perSecond, ""],
  ["bare requests/s", ({ bare }) => bare.perSecond, ""],
  ["service p50 ms", ({ service }) => service.p50, ""],
  ["service p99 ms", ({ service }) => service.p99, ""],
  ["CPU of others", ({ others }) => others * 100, "%"],
];

function report(contest: Contest, kept: readonly Round[], repeats: number): void {
  const failures = kept.reduce((sum, { service }) => sum + service.failures, 0);
  const lines = [
    `\n${contest.name}`,
    ...figures.map(([name, of, unit]) => line(name, kept.map(of), unit)),
    `  rounds ${kept.length}, repeated ${repeats}, answers other than 2xx: ${failures}`,
    ...floorsOf(contest, kept),
  ];
  process.stdout.write(`${lines.filter((text) => text !== "").join("\n")}\n`);
}

/** `min / median / max` of one figure over the rounds. */
function line(name: string, values: readonly number[], unit: string): string {
  if (values.some(Number.isNaN)) return "";
  const sorted = [...values].sort((a, b) => a - b);
  const [min, median, max] = [sorted[0], sorted[Math.floor(sorted.length / 2)], sorted.at(-1)];
  const shown = [min, median, max].map((value = 0) => value.toFixed(value < 100 ? 2 : 0) + unit);
  return `  ${name.padEnd(28)} min ${shown[0]}  median ${shown[1]}  max ${shown[2]}`;
}
