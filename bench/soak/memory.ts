import { readFile } from "node:fs/promises";
import { listProcesses } from "../http/cpu";
import { median, verdict } from "../streams/statistics";
import type { Processes } from "./installation";

interface Sample {
  at: number;
  /** Of each process of the service, and of Postgres without what its processes share, in MB. */
  service: number[];
  postgres: number;
}

/** Looks every five seconds, until asked to stop. */
export function watchMemory(processes: Processes, postmaster: () => number) {
  const samples: Sample[] = [];
  const sample = async () => {
    const service = (await processes.memory()).map((megabytes = Number.NaN) => megabytes);
    samples.push({ at: Date.now(), service, postgres: await privateMemory(postmaster()) });
  };
  const timer = setInterval(() => void sample(), 5_000);
  return { stop: () => clearInterval(timer), report: (from: number, to: number) => report(samples, from, to) };
}

/** The last quarter against the one before: what grows without end has grown by then. */
function report(samples: readonly Sample[], from: number, to: number): void {
  const middle = (from + to) / 2;
  const third = samples.filter(({ at }) => at >= from && at < middle);
  const fourth = samples.filter(({ at }) => at >= middle && at <= to);
  const parts: Record<string, (sample: Sample) => number> = { postgres: ({ postgres }) => postgres };
  for (const n of samples[0]?.service.keys() ?? []) {
    parts[`process ${n + 1}`] = ({ service }) => service[n] ?? Number.NaN;
  }
  for (const [name, of] of Object.entries(parts)) {
    const [was, is] = [median(third.map(of)), median(fourth.map(of))];
    const title = `memory of ${name} in the last quarter against the one before`;
    console.log(`${verdict(title, is / was, 1.1, "lower")}  ${was.toFixed(0)} MB, ${is.toFixed(0)} MB`);
  }
}

/** Resident and not shared, of the postmaster and its children. */
async function privateMemory(postmaster: number): Promise<number> {
  const family = (await listProcesses()).filter(({ pid, parent }) => pid === postmaster || parent === postmaster);
  const each = await Promise.all(
    family.map(async ({ pid }) => {
      const pages = await readFile(`/proc/${pid}/statm`, "utf8").catch(() => "");
      const [, resident = 0, shared = 0] = pages.split(" ").map(Number);
      return ((resident - shared) * 4_096) / 1_048_576;
    }),
  );
  return each.reduce((sum, megabytes) => sum + megabytes, 0);
}
