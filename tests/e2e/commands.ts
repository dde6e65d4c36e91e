import { execFile } from "node:child_process";

/** An admin command next to the running service, as an operator gives it; the object that `--json` prints. */
export function admin(...args: string[]): Promise<Record<string, unknown>> {
  return new Promise((resolve, reject) => {
    execFile(
      process.execPath,
      ["app/cli/launch.mjs", "admin", ...args, "--json"],
      { env: { ...process.env, DATA_DIR: process.env.E2E_DATA_DIR, NODE_ENV: "production" }, maxBuffer: 64_000_000 },
      (error, stdout, stderr) => {
        if (error) reject(new Error(`${stdout}${stderr}`));
        else resolve(JSON.parse(stdout));
      },
    );
  });
}
