import { join } from "node:path";
import type { Attempt } from "../job/attempt";

/** Where everything that the commands of an attempt print stands, as it is. */
export function logFileOf({ folder, job }: Pick<Attempt, "folder" | "job">): string {
  return join(folder.logs, `${job.id}-${job.attempt}.log`);
}
