import { join } from "node:path";
import type { NextLanding } from "~/wire/landings/contract";
import { learnSecret } from "../base/options";
import { listShared } from "../git/included";
import type { Repository } from "../git/repository";
import { copyAlong, type Rules } from "../git/rules";
import type { Attempt } from "../job/attempt";
import { changedScript, runCommand, setupVariables } from "../job/commands";
import { allowedHostsOf } from "../job/open/open-attempt";
import { loginSentence } from "../sandbox/kept-logins";
import { hostsFile, keptIn, mountsFile } from "../sandbox/kept-permissions";
import { neededMount } from "../sandbox/mounts";
import { type JobSandbox, noSandbox, type Sandbox, type SandboxedJob } from "../sandbox/sandbox";
import type { ServedProduct } from "../service/served-product";

export interface LandingTools extends Pick<Attempt, "options" | "service" | "journal" | "folder" | "clean"> {
  sandboxes: Sandbox;
}

export interface LandingContext extends LandingTools {
  product: ServedProduct;
  landing: NextLanding;
  repository: Repository;
  main: string;
  signal: AbortSignal;
}

type Tests = { folder: string; command: string; rules: Rules };

/** Sets up the checkout and runs its tests in the worker's sandbox. Returns what failed, or null. */
export async function runTests(context: LandingContext, { folder, command, rules }: Tests) {
  const { landing, repository, options, signal, clean } = context;
  for (const value of await copyAlong({ folder, repository }, rules)) learnSecret(options, value);
  const { may_reach } = landing;
  const sandbox = await openFor(context, { ...context, id: landing.id, folder, rules, may_reach });
  try {
    const origin = rules.origins.setup;
    const isSetUp = rules.setup === undefined || (await changedScript(folder, origin)) !== null;
    const commands = isSetUp || rules.setup === undefined ? [command] : [rules.setup, command];
    const location = { folder, rules, repository, branch: landing.branch };
    for (const line of commands) {
      const end = await runCommand({
        command: line,
        folder,
        environment: line === command ? rules.env : await setupVariables(landing.id, location, origin),
        sandbox,
        logFile: join(context.folder.logs, `${landing.id}.log`),
        timeoutMinutes: options.timeoutMinutes,
        signal,
        clean,
      });
      signal.throwIfAborted();
      if (end.exitCode !== 0 && (line === command || origin === undefined)) {
        return `${line}\nended with ${end.exitCode ?? "a signal"}\n${end.output}`;
      }
    }
    return null;
  } finally {
    await sandbox.close();
  }
}

interface SandboxOf {
  id: string;
  folder: string;
  main: string;
  rules: Rules;
  repository: Repository;
  product: { id: string };
  may_reach: readonly string[];
  entry?: SandboxedJob["entry"];
}

/** A sandbox for what the rules of a repository run without an agent. */
export async function openFor(
  { sandboxes, options, journal }: Pick<LandingTools, "sandboxes" | "options" | "journal">,
  { id, folder, main, rules, repository, product, may_reach, entry }: SandboxOf,
): Promise<JobSandbox> {
  if (sandboxes.confinement === "none") return noSandbox;
  const allowed = await keptIn(mountsFile(options.workDir), repository.folder);
  const { work } = options;
  return sandboxes.open({
    command: "agents" in work ? work.agents[0] : work.exec,
    id,
    repository: repository.folder,
    allowedHosts: await allowedHostsOf({
      folder,
      main,
      net: options.net,
      product: may_reach,
      person: await keptIn(hostsFile(options.workDir), product.id),
    }),
    wanted: [],
    shares: (await listShared(repository.folder, rules.share)).shared,
    mounts: rules.needs.map(neededMount).filter(({ name }) => allowed.includes(name)),
    refused: ({ host }) => journal.sayOnce(`Refused: ${host}`),
    loginPutBack: (name) => journal.sayOnce(loginSentence(name)),
    ...(entry === undefined ? {} : { entry }),
  });
}
