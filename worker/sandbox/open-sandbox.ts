import { installedFolders } from "../agents/registry/registry";
import { personsVariables } from "../base/environment";
import { isDemo, type WorkerOptions } from "../base/options";
import { WorkerProblem } from "../base/problems";
import type { WorkFolder } from "../base/work-folder";
import { openBwrap } from "./bwrap";
import { removeOldHomes } from "./job-home";
import { probeBwrap } from "./probe";
import { noSandbox, type Sandbox } from "./sandbox";
import { passingVariables } from "./variables";

/** Opens the requested sandbox or fails. With `auto`, uses bwrap if it works here, otherwise none. */
export async function openSandbox(options: WorkerOptions, folder: WorkFolder, demoCommand: string): Promise<Sandbox> {
  const { sandbox, work, testCommand } = options;
  if (sandbox === "off") return none("switched off with --sandbox off");
  const command = "agents" in work ? work.agents.join(" ") : isDemo(options) ? demoCommand : work.exec;
  const view = {
    ownCommands: [command, testCommand ?? ""],
    homes: folder.homes,
    caches: folder.caches,
    service: new URL(options.url),
    isOnline: options.net.includes("all"),
    mounts: [...options.mounts, ...(await installedFolders(command, personsVariables()))],
    passing: await passingVariables(command, options.env),
  };
  await removeOldHomes(folder.homes);
  const probe = await probeBwrap(personsVariables().PATH);
  if ("problem" in probe) {
    if (sandbox === "auto") return none(probe.problem);
    throw new WorkerProblem(
      `--sandbox bwrap: ${probe.problem}. Or start the worker with --sandbox off, on a machine that has nothing to lose`,
    );
  }
  return openBwrap({ ...view, program: probe.program, workDir: options.workDir });
}

/** Tries the sandbox that `--sandbox` names and describes it, for `worker agents`. */
export async function describeSandbox(setting: WorkerOptions["sandbox"]): Promise<string> {
  if (setting === "off") return "sandbox   none: switched off with --sandbox off";
  const probe = await probeBwrap(personsVariables().PATH);
  return `sandbox   ${"program" in probe ? `bwrap, ${probe.program}` : `none: ${probe.problem}`}`;
}

function none(reason: string): Sandbox {
  return {
    confinement: "none",
    leftOut: [],
    description: `no sandbox (${reason}): what agents run here can do what you can`,
    open: async () => noSandbox,
  };
}
