import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";

/** Returns a process's start time, which tells it from a later one with the same pid, or null if it is not running. */
export function identityOf(pid: number): string | null {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)?.split(" ");
    return fields?.[0] === "Z" ? null : (fields?.[19] ?? null);
  } catch {
    return process.platform === "linux" ? null : identityFromPs(pid);
  }
}

const identityFromPs = (pid: number): string | null => askPs("lstart=", pid) || null;

/** Returns the command line of a process, on systems without /proc. */
export const commandOf = (pid: number): string => askPs("command=", pid);

function askPs(column: string, pid: number): string {
  try {
    return execFileSync("ps", ["-o", column, "-p", String(pid)], { encoding: "utf8" }).trim();
  } catch {
    return "";
  }
}
