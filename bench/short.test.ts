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

/** What a benchmark writes and how it ends, with the smallest sizes. */
async function run(args: string): Promise<{ text: string; code: number | null }> {
  const child = spawn(process.execPath, [program, ...args.split(" ")], {
    env: { ...process.env, ...sizes },
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
    ["http", "PATCH task, 8 connections"],
    ["pages", "backlog of 440 rows, 1 connections"],
    ["streams", "updates with events against without"],
    // The part `queues` installs other people's queues.
    ["jobs plain backlogs dispatch ledger start", "start of a run of 1,000 tasks"],
    ["growth 400", "search: no table is read whole"],
    ["processes", "resident memory of the processes in MB"],
    ["soak 0.1", "viewers: 10 of 10 saw the last changes"],
  ])("The benchmark %s runs to its end", async (args, line) => {
    const { text, code } = await run(args);
    expect(code, text).toBe(0);
    expect(text).toContain(line);
  });
});
