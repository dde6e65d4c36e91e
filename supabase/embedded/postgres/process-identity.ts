import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";

/**
 * Something that tells a process from a later one with the same number: its start time.
 * `null` when no such process runs.
 */
export function identityOf(pid: number): string | null {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)?.split(" ");
    return fields?.[0] === "Z" ? null : (fields?.[19] ?? null);
  } catch {
    return process.platform === "linux" ? null : identityFromPs(pid);
  }
}

function identityFromPs(pid: number): string | null {
  return askPs("lstart=", pid) || null;
}

/** The command line of a process, where there is no /proc to look at. */
export function commandOf(pid: number): string {
  return askPs("command=", pid);
}

function askPs(column: string, pid: number): string {
  try {
    return execFileSync("ps", ["-o", column, "-p", String(pid)], { encoding: "utf8" }).trim();
  } catch {
    return "";
  }
}
