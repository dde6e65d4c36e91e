import { hostname } from "node:os";
import { z } from "zod";
import type { Confinement } from "~/wire/workers/confinement";
import manifest from "../package.json";
import { describeAgents, driverFor, findAgents, isBuiltIn } from "./agents/catalog";
import { describeRegistry } from "./agents/registry/registry";
import { personsEnvironment, personsVariables } from "./base/environment";
import { interruptible } from "./base/interruption";
import { openJournal } from "./base/journal";
import { isDemo, readOptions, readSandboxOption, secretsOf, usage, type WorkerOptions } from "./base/options";
import { endOrphans, markProcesses } from "./base/orphans";
import { WorkerProblem } from "./base/problems";
import { createRedactor } from "./base/redact";
import { run } from "./base/run";
import { print } from "./base/terminal";
import { takeWorkFolder } from "./base/work-folder";
import { describePulls, watchForge } from "./forge/watch-forge";
import { checkRepository } from "./git/repository";
import { give } from "./hand/give";
import { keepLeaseFor } from "./hand/keep-lease";
import { returnDeadTakes } from "./hand/pending-takes";
import { take } from "./hand/take";
import { removeLeftovers } from "./job/open/leftovers";
import { reportUnreported } from "./job/report/usage";
import { landBranches } from "./landing/land-branches";
import { leave, runLoop } from "./loop";
import { servePreviews } from "./previews/serve-previews";
import { describeSandbox, openSandbox } from "./sandbox/open-sandbox";
import { findServedProduct } from "./service/served-product";
import { connectService, type Service } from "./service/service";
import { askAtStart } from "./setup/agree";
import { doctor } from "./setup/doctor";

/** Runs the worker until it is asked to end, or handles `agents` and `--help`. */
export async function serve(args: readonly string[], demoCommand: string): Promise<void> {
  if (args[0] === "agents" && args.includes("--registry")) {
    print(`${describeRegistry(isBuiltIn)}\n`);
    return;
  }
  if (args[0] === "agents") {
    const setting = readSandboxOption(args.slice(1));
    const agents = describeAgents(await findAgents(personsVariables()));
    print(`${agents}\n${await describeSandbox(setting)}\n`);
    return;
  }
  const [command, ...rest] = args;
  if (command === "doctor") return doctor(rest);
  if (command === "take" && rest[0] === "--keep-lease") return keepLeaseFor(rest.slice(1));
  if (command === "take") return take(rest, stopOnSignals());
  if (command === "give") return give(rest, stopOnSignals());
  if (args.includes("--help")) {
    print(`${usage}\n`);
    return;
  }
  const options = readOptions(args, process.env);
  const journal = openJournal(print);
  const folder = await takeWorkFolder(options.workDir, options.name);
  const { clean } = createRedactor(secretsOf(options));
  const stop = stopOnSignals();
  const service = connectService(options, journal, clean, stop);
  const tools = { options, service, journal, folder, clean, demoCommand, stopSignal: stop };
  try {
    await endOrphans(folder.worktrees);
    await reportUnreported(folder, service, journal);
    await removeLeftovers(folder.worktrees, journal);
    markProcesses(folder.worktrees);
    await checkAgent(options, stop);
    const sandboxes = await openSandbox(options, folder, demoCommand);
    const product = await findServedProduct(options, service, stop);
    const remotes = await interruptible(stop, () => checkRepository(options, product, folder));
    if (remotes !== null) journal.say(remotes);
    if (product !== null && !isDemo(options)) {
      const isConfined = sandboxes.confinement !== "none";
      await interruptible(stop, () => askAtStart({ options, product, folder, isConfined, signal: stop }));
    }
    const pulls = await interruptible(stop, () => describePulls(options, product, service));
    if (pulls !== null) journal.say(pulls);
    const hello = new AbortController();
    const { workerName } = folder;
    const reported = { worker: workerName, confinement: sandboxes.confinement, product_id: product?.id };
    reportAgents(reported, service, hello.signal).catch(() => undefined);
    const over = AbortSignal.any([stop, hello.signal]);
    const watching = watchForge({ ...tools, product }, over);
    const returning = returnDeadTakes(tools, over);
    const landing = landBranches({ ...tools, sandboxes }, product, over);
    const previews = servePreviews({ ...tools, sandboxes }, product, over);
    await runLoop({ ...tools, product, sandboxes }).finally(() => hello.abort());
    await Promise.all([watching, landing, previews, returning]);
  } catch (error) {
    if (!stop.aborted) throw error;
  } finally {
    await leave(tools);
    await service.close();
    await folder.release();
  }
}

/** npm forwards a Ctrl-C that the worker has already received from the terminal. Within this time both count as one. */
const sameSignalMilliseconds = 2_000;

/** The first signal ends the worker in order, a later one at once. */
function stopOnSignals(): AbortSignal {
  const controller = new AbortController();
  let stoppedAt = 0;
  for (const name of ["SIGINT", "SIGTERM"] as const) {
    process.on(name, () => {
      const isStopping = controller.signal.aborted;
      if (isStopping && performance.now() - stoppedAt > sameSignalMilliseconds) process.exit(130);
      if (isStopping) return;
      stoppedAt = performance.now();
      controller.abort(new WorkerProblem("The worker was asked to end"));
    });
  }
  return controller.signal;
}

/** Checks that each agent works before a job is taken, so that no retry is lost to a problem of this machine. */
async function checkAgent({ work }: WorkerOptions, stop: AbortSignal): Promise<void> {
  if (!("agents" in work)) return checkCommand(work.exec);
  const environment = personsVariables();
  for (const name of work.agents) {
    const driver = await driverFor(name, undefined, environment);
    const isThere = (await driver.find(environment)) !== null;
    if (!isThere) await driver.askToInstall?.(environment, stop);
    if (!isThere && (await driver.find(environment)) === null) {
      throw new WorkerProblem(`${driver.title} is not installed on this machine: ${driver.install}`);
    }
    if ((await driver.isSignedIn(environment)) === false) {
      throw new WorkerProblem(`${driver.title} is not signed in on this machine: ${driver.signIn}`);
    }
  }
}

/** Checks before a job is taken that the command's program, its first word, is installed. */
async function checkCommand(command: string): Promise<void> {
  const program = /^\s*(?:\w+=\S*\s+)*([\w./+-]+)(?=\s|$)/.exec(command)?.[1];
  if (program === undefined || command === "demo") return;
  const args = ["-c", 'command -v -- "$1"', "sh", program];
  await run("/bin/sh", args, { env: personsEnvironment() }).catch(() => {
    throw new WorkerProblem(`${program} is not installed on this machine (from --exec)`);
  });
}

/** Connect then offers these first. In parallel, tried once, and dropped when the worker is about to sign off. */
async function reportAgents(
  reported: { worker: string; confinement: Confinement; product_id: string | undefined },
  service: Service,
  signal: AbortSignal,
): Promise<void> {
  const found = await findAgents(personsVariables());
  const agents = found.flatMap(({ name, way, version, isSignedIn }) => {
    const account = isSignedIn === null ? "" : isSignedIn ? ", signed in" : ", not signed in";
    return way === null ? [] : [`${name} ${version ?? "of unknown version"}${account}`];
  });
  if (signal.aborted) return;
  const given = { ...reported, hostname: hostname(), version: manifest.version, agents };
  await service.call("worker_heartbeat", given, z.unknown(), { retry: false, signal });
}
