import { spawn } from "node:child_process";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

const program = join(import.meta.dirname, "run.mjs");
const sizes = {
  BENCH_ROUNDS: "1",
  BENCH_SECONDS: "0.2",
  BENCH_IDLE_SECONDS: "1",
  BENCH_MOST: "50",
  BENCH_PRODUCTS: "2",
  BENCH_PROCESSES: "2",
  BENCH_FAULTS: "0",
  BENCH_DISK_MB: "1024",
  BENCH_WORKERS: "2",
  BENCH_PEOPLE: "10",
  BENCH_VIEWERS: "10",
  BENCH_JOB_SECONDS: "1",
};

/** The floors that it repeats at its end, after the number of each kind was checked. */
function floorsIn(text: string): { held: string[]; broken: string[] } {
  const [, list = "", held, broken] =
    /\n== floors\n((?:[\s\S]*\n)?)(\d+) floors held, (\d+) broken\n$/.exec(text) ?? [];
  const lines = list.split("\n").filter((line) => line !== "");
  const floors = {
    held: lines.filter((line) => line.startsWith("held   ")),
    broken: lines.filter((line) => line.startsWith("BROKEN ")),
  };
  expect([floors.held.length, floors.broken.length], text).toEqual([Number(held), Number(broken)]);
  expect(text.match(/^(held {3}|BROKEN )/gm)?.length ?? 0, "each where it is measured, and at the end").toBe(
    lines.length * 2,
  );
  return floors;
}

/** What a benchmark writes and how it ends, with the smallest sizes. */
async function run(args: string, rounds = sizes.BENCH_ROUNDS): Promise<{ text: string; code: number | null }> {
  const child = spawn(process.execPath, [program, ...args.split(" ")], {
    env: { ...process.env, ...sizes, BENCH_ROUNDS: rounds },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let text = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk: Buffer) => {
      text += chunk.toString();
    });
  }
  const code = await new Promise<number | null>((resolve) => child.once("close", resolve));
  return { text, code };
}

describe("npm run bench", { timeout: 600_000 }, () => {
  it.concurrent.each([
    ["http --check", "PATCH task, 8 connections"],
    ["pages", "backlog of 440 rows, 1 connections"],
    ["streams", "updates with events against without"],
    // The part `queues` installs other people's queues.
    ["jobs plain backlogs dispatch ledger start", "start of a run of 1,000 tasks"],
    ["growth 400", "search: tables read whole: 0"],
    ["processes", "resident memory in MB after contexts and reports"],
    ["forecast", "one forecast: "],
    ["soak 0.1", "viewers: 10 of 10 saw the last changes"],
  ])("The benchmark %s runs to its end", async (args, line) => {
    const { text, code } = await run(args);
    const { broken } = floorsIn(text);
    expect(code, text).toBe(args.includes("--check") && broken.length > 0 ? 1 : 0);
    expect(text).toContain(line);
  });

  it.concurrent("A broken floor ends the run non-zero with --check and is named, and only then", async () => {
    // A ratio of no rounds is no number, which holds no floor on any machine.
    const checked = await run("http next-story --check", "0");
    expect(checked.code, checked.text).toBe(1);
    expect(floorsIn(checked.text).broken.join()).toContain("next-story, 32 connections: requests against bare");
    expect((await run("http next-story", "0")).code).toBe(0);
  });
});
