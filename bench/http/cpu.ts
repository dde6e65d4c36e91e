import { readdir, readFile } from "node:fs/promises";

/** CPU time used by everyone and by us, in clock ticks. */
type Usage = { all: number; idle: number; ours: number };

/** Whom we count as ours: the given processes and the children of Postgres among them. */
export async function cpuUsage(pids: readonly number[]): Promise<Usage | undefined> {
  const stat = await readFile("/proc/stat", "utf8").catch(() => undefined);
  if (stat === undefined) return undefined;
  const ticks = (stat.split("\n")[0] ?? "").split(/\s+/).slice(1, 9).map(Number);
  const all = ticks.reduce((sum, value) => sum + value, 0);
  const idle = (ticks[3] ?? 0) + (ticks[4] ?? 0);
  const ours = (await listProcesses())
    .filter(({ pid, parent }) => pids.includes(pid) || pids.includes(parent))
    .reduce((sum, { ticks: used }) => sum + used, 0);
  return { all, idle, ours };
}

/** The share of the machine that others used between two readings, 0 to 1. */
export function shareOfOthers(before: Usage | undefined, after: Usage | undefined): number {
  if (!before || !after) return 0;
  const all = after.all - before.all;
  const busy = all - (after.idle - before.idle);
  return Math.max(0, busy - (after.ours - before.ours)) / Math.max(1, all);
}

/** All processes of the machine. */
export async function listProcesses() {
  const names = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  return Promise.all(names.map((name) => processTicks(Number(name))));
}

/** Children that ended count with their parent. */
async function processTicks(pid: number): Promise<{ pid: number; parent: number; ticks: number }> {
  const text = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  const used = fields.slice(11, 15).reduce((sum, value) => sum + Number(value), 0);
  return { pid, parent: Number(fields[1] ?? 0), ticks: used || 0 };
}
