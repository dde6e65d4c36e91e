import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { WorkerProblem } from "../service/problems";
import { personsEnvironment } from "./environment";

const run = promisify(execFile);

/** Finds out before a job is taken that the program of a command line is not installed, as far as its first word tells. */
export async function checkCommand(command: string): Promise<void> {
  const program = /^\s*(?:\w+=\S*\s+)*([\w./+-]+)(?=\s|$)/.exec(command)?.[1];
  if (program === undefined || command === "demo") return;
  const words = ["-c", 'command -v -- "$1"', "sh", program];
  await run("/bin/sh", words, { env: personsEnvironment() }).catch(() => {
    throw new WorkerProblem(`${program} is not installed on this machine (from --exec)`);
  });
}
