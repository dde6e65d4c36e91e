import { openJournal } from "../base/journal";
import { readOptions, secretsOf } from "../base/options";
import { Refusal, WorkerProblem } from "../base/problems";
import { createRedactor } from "../base/redact";
import { homeOf, openWorkFolder } from "../base/work-folder";
import { openSandbox } from "../sandbox/open-sandbox";
import { connectService } from "../service/service";

/**
 * The tools of both commands of a person. Setup, tests and proof run where a worker's would: in a sandbox, unless
 * `--sandbox` says otherwise. The person's own commands do not.
 */
export async function openHand(words: readonly string[], stopSignal: AbortSignal) {
  // No agent is started: the person does the work.
  const options = readOptions([...words, "--exec", "by hand"], process.env);
  const home = homeOf(options.workDir, options.name);
  const own = await openWorkFolder(options.workDir, home, `${options.name} terminal`);
  const sandboxes = await openSandbox(options, own, "");
  const journal = openJournal((text) => process.stdout.write(text));
  const { clean } = createRedactor(secretsOf(options));
  const service = connectService(options, journal, clean, stopSignal);
  const tools = { options, home, sandboxes, journal, clean, service, stopSignal };
  return { ...tools, demoCommand: "", readQuota: async () => undefined };
}

export type Hand = Awaited<ReturnType<typeof openHand>>;

/** Splits what comes before the options, such as the code of a task. */
export function splitHandWords(words: readonly string[], flag: string) {
  const [first] = words;
  const task = first === undefined || first.startsWith("-") ? undefined : first;
  const rest = words.slice(task === undefined ? 0 : 1).filter((word) => word !== flag);
  return { task, rest, hasFlag: words.includes(flag) };
}

/** A refusal is for the person to read. */
export async function orSay<T>(call: Promise<T>): Promise<T> {
  return call.catch((error: unknown) => {
    throw error instanceof Refusal ? new WorkerProblem(error.message) : error;
  });
}
