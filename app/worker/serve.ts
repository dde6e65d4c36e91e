import { describeAgents, findAgents } from "./agents/list-agents";
import { createRedactor } from "./agents/redact";
import { checkAgent } from "./check-agent";
import { personsVariables } from "./environment";
import { interruptible } from "./interruption";
import { openJournal } from "./journal";
import { removeLeftovers } from "./leftovers";
import { leave, runLoop } from "./loop";
import { readOptions, secretsOf, usage } from "./options";
import { endOrphans, markProcesses } from "./orphans";
import { WorkerProblem } from "./problems";
import { checkRepository } from "./repository";
import { findServedProduct } from "./served-product";
import { connectService } from "./service";
import { tellAgents } from "./tell-agents";
import { tellUnsaid } from "./unsaid-usage";
import { takeWorkFolder } from "./work-folder";

/** Waits for jobs and does them until it is asked to end, or answers what its words ask for. */
export async function serve(words: readonly string[], demoCommand: string): Promise<void> {
  if (words[0] === "agents") {
    process.stdout.write(`${describeAgents(await findAgents(personsVariables()))}\n`);
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
    await tellUnsaid(folder.worktrees, service, journal);
    await removeLeftovers(folder.worktrees, journal);
    markProcesses(folder.worktrees);
    await checkAgent(options);
    const product = await findServedProduct(options, service, stop);
    await interruptible(stop, () => checkRepository(options, product, folder));
    const hello = new AbortController();
    tellAgents(folder.workerName, service, hello.signal).catch(() => undefined);
    await runLoop({ ...tools, product }).finally(() => hello.abort());
  } catch (error) {
    if (!stop.aborted) throw error;
  } finally {
    await leave(tools);
    await service.close();
    await folder.release();
  }
}

/** The first signal ends the work in order, a second one at once. */
function stopOnSignals(): AbortSignal {
  const controller = new AbortController();
  for (const name of ["SIGINT", "SIGTERM"] as const) {
    process.on(name, () => {
      if (controller.signal.aborted) process.exit(130);
      controller.abort(new WorkerProblem("The worker was asked to end"));
    });
  }
  return controller.signal;
}
