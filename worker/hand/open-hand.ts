import { openJournal } from "../base/journal";
import { readOptions, secretsOf, withoutOptions } from "../base/options";
import { Refusal, WorkerProblem } from "../base/problems";
import { createRedactor } from "../base/redact";
import { print } from "../base/terminal";
import { homeOf, openWorkFolder } from "../base/work-folder";
import { openSandbox } from "../sandbox/open-sandbox";
import { connectService } from "../service/service";

/** Setup, tests and proof run where a worker's would, in a sandbox by default; the person's own commands do not. */
export async function openHand(
  args: readonly string[],
  stopSignal: AbortSignal,
  login?: { url: string; token: string },
) {
  const { BACKLOOM_URL, BACKLOOM_TOKEN } = process.env;
  const noted = { BACKLOOM_URL: BACKLOOM_URL || login?.url, BACKLOOM_TOKEN: BACKLOOM_TOKEN || login?.token };
  // No agent is started: the person does the work.
  const options = readOptions([...args, "--exec", "by hand"], { ...process.env, ...noted });
  const home = homeOf(options.workDir, options.name);
  const own = await openWorkFolder(options.workDir, home, `${options.name} terminal`);
  const sandboxes = await openSandbox(options, own, "");
  const journal = openJournal(print);
  const { clean } = createRedactor(secretsOf(options));
  const service = connectService(options, journal, clean, stopSignal);
  const tools = { options, home, sandboxes, journal, clean, service, stopSignal };
  return { ...tools, demoCommand: "", readQuota: async () => undefined };
}

export type Hand = Awaited<ReturnType<typeof openHand>>;

/** Splits off the code of a task and the command's own flag, at any place. */
export function splitHandArgs(args: readonly string[], flag: string) {
  const given = args.filter((arg) => arg !== flag);
  const task = withoutOptions(given)[0];
  const rest = task === undefined ? given : given.toSpliced(given.lastIndexOf(task), 1);
  return { task, rest, hasFlag: args.includes(flag) };
}

/** A refusal is for the person to read. */
export async function orSay<T>(call: Promise<T>): Promise<T> {
  return call.catch((error: unknown) => {
    throw error instanceof Refusal ? new WorkerProblem(error.message) : error;
  });
}
