import { describeAgents, findAgents } from "./agents/list-agents";
import { createRedactor } from "./agents/redact";
import { removeLeftovers } from "./git/leftovers";
import { checkRepository } from "./git/repository";
import { takeWorkFolder } from "./git/work-folder";
import { checkAgent } from "./job/check-agent";
import { personsVariables } from "./job/environment";
import { interruptible } from "./job/interruption";
import { endOrphans, markProcesses } from "./job/orphans";
import { leave, runLoop } from "./loop";
import { readOptions, readSandboxWish, secretsOf, usage } from "./options";
import { describeSandbox, openSandbox } from "./sandbox/open-sandbox";
import { openJournal } from "./service/journal";
import { WorkerProblem } from "./service/problems";
import { findServedProduct } from "./service/served-product";
import { connectService } from "./service/service";
import { tellAgents } from "./service/tell-agents";
import { tellUnsaid } from "./service/unsaid-usage";

/** Waits for jobs and does them until it is asked to end, or answers what its words ask for. */
export async function serve(words: readonly string[], demoCommand: string): Promise<void> {
  if (words[0] === "agents") {
    const wish = readSandboxWish(words.slice(1));
    const agents = describeAgents(await findAgents(personsVariables()));
    process.stdout.write(`${agents}\n${await describeSandbox(wish)}\n`);
    return;
  }
  if (words.includes("--help")) {
    process.stdout.write(`${usage}\n`);
    return;
  }
  const options = readOptions(words, process.env);
  const journal = openJournal((text) => process.stdout.write(text));
  const folder = await takeWorkFolder(options.workDir, options.name);
  const { clean } = createRedactor(secretsOf(options));
  const stop = stopOnSignals();
  const service = connectService(options, journal, clean, stop);
  const tools = { options, service, journal, folder, clean, demoCommand, stopSignal: stop };
  try {
    await endOrphans(folder.worktrees);
    await tellUnsaid(folder, service, journal);
    await removeLeftovers(folder.worktrees, journal);
    markProcesses(folder.worktrees);
    await checkAgent(options);
    const sandboxes = await openSandbox(options, folder, demoCommand);
    const product = await findServedProduct(options, service, stop);
    await interruptible(stop, () => checkRepository(options, product, folder));
    const hello = new AbortController();
    const { workerName } = folder;
    tellAgents(workerName, sandboxes.confinement, service, hello.signal).catch(() => undefined);
    await runLoop({ ...tools, product, sandboxes }).finally(() => hello.abort());
  } catch (error) {
    if (!stop.aborted) throw error;
  } finally {
    await leave(tools);
    await service.close();
    await folder.release();
  }
}

/** npm passes Ctrl-C on to a worker that has heard it from the terminal already: within this time it is the same wish. */
const sameWishMilliseconds = 2_000;

/** The first signal ends the work in order, a later one at once. */
function stopOnSignals(): AbortSignal {
  const controller = new AbortController();
  let askedAt = 0;
  for (const name of ["SIGINT", "SIGTERM"] as const) {
    process.on(name, () => {
      const isAsked = controller.signal.aborted;
      if (isAsked && performance.now() - askedAt > sameWishMilliseconds) process.exit(130);
      if (isAsked) return;
      askedAt = performance.now();
      controller.abort(new WorkerProblem("The worker was asked to end"));
    });
  }
  return controller.signal;
}
