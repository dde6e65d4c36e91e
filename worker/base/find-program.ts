import { access, constants } from "node:fs/promises";
import { delimiter, join } from "node:path";
import type { Launch } from "./process";
import { processEnvironment } from "./process";
import { run, succeeds } from "./run";

/** Finds a program on the environment's PATH. */
export async function findProgram(name: string, environment: Record<string, string>): Promise<string | null> {
  const folders = name.includes("/") ? [""] : (environment.PATH ?? "").split(delimiter);
  for (const folder of folders) {
    const file = folder === "" ? name : join(folder, name);
    const isThere = await succeeds(access(file, constants.X_OK));
    if (isThere) return file;
  }
  return null;
}

type ProgramOutput = { isWell: boolean; stdout: string; output: string };

/** Runs a short-lived program and returns its output; null if it could not be started. */
export function ask(
  program: string,
  args: readonly string[],
  environment: Record<string, string>,
): Promise<ProgramOutput | null> {
  return askIn({ program, args, environment });
}

/** Like `ask`, in a folder. */
export async function askIn({
  program,
  args,
  environment,
  folder,
}: Omit<Launch, "folder"> & { folder?: string }): Promise<ProgramOutput | null> {
  try {
    const { stdout, stderr } = await run(program, args, {
      cwd: folder,
      env: processEnvironment(environment),
      timeout: 30_000,
      maxBuffer: 64 * 1024 * 1024,
    });
    return { isWell: true, stdout, output: `${stdout}\n${stderr}`.trim() };
  } catch (error) {
    if (!(error instanceof Error) || !("stdout" in error)) return null;
    const stderr = "stderr" in error ? String(error.stderr) : "";
    const stdout = String(error.stdout);
    return { isWell: false, stdout, output: `${stdout}\n${stderr}`.trim() };
  }
}
