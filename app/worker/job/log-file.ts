import { join } from "node:path";
import type { Attempt } from "./attempt";

/** Path of the raw output of an attempt's commands. */
export function logFileOf({ folder, job }: Pick<Attempt, "folder" | "job">): string {
  return join(folder.logs, `${job.id}-${job.attempt}.log`);
}
