import { execFile } from "node:child_process";
import { promisify } from "node:util";

const run = promisify(execFile);

/** An admin command beside the running service, as an operator gives it; the object that `--json` prints. */
export async function admin(...words: string[]): Promise<Record<string, unknown>> {
  const { stdout } = await run(
    process.execPath,
    ["app/cli/launch.mjs", "admin", ...words, "--json"],
    {
      env: { ...process.env, DATA_DIR: process.env.E2E_DATA_DIR, NODE_ENV: "production" },
      maxBuffer: 64_000_000,
    },
  );
  return JSON.parse(stdout);
}
