import { exec } from "node:child_process";
import { promisify } from "node:util";
import { personsEnvironment } from "../job/environment";

const run = promisify(exec);

/** What is left of the quota in percent, as the configured command prints it; unknown without one. */
export async function readQuota(command: string | undefined): Promise<number | undefined> {
  if (command === undefined) return undefined;
  try {
    const { stdout } = await run(command, { timeout: 20_000, env: personsEnvironment() });
    const percent = Math.round(Number.parseFloat(stdout));
    return percent >= 0 && percent <= 100 ? percent : undefined;
  } catch {
    return undefined;
  }
}
