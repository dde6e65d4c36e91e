import type { WorkFolder } from "../git/work-folder";
import { personsVariables } from "../job/environment";
import { isDemo, type WorkerOptions } from "../options";
import { WorkerProblem } from "../service/problems";
import { openBwrap } from "./bwrap";
import { openDocker } from "./docker";
import { removeOldHomes } from "./job-home";
import { openOwnCommand } from "./own-command";
import { probeBwrap } from "./probe";
import { noSandbox, type Sandbox } from "./sandbox";

/** The sandbox that the person asked for: that one or none at all, and where they left it open the best that works here. */
export async function openSandbox(
  options: WorkerOptions,
  folder: WorkFolder,
  demoCommand: string,
): Promise<Sandbox> {
  const { sandbox, work, testCommand } = options;
  if (sandbox.kind === "off") return none("switched off with --sandbox off");
  if (sandbox.kind === "command") return openOwnCommand(sandbox.line, options.workDir);
  const command = "agent" in work ? work.agent : isDemo(options) ? demoCommand : work.exec;
  const place = {
    command,
    ownCommands: [command, testCommand ?? ""],
    homes: folder.homes,
    caches: folder.caches,
    service: new URL(options.url),
    isOnline: options.net.includes("all"),
    mounts: options.mounts,
  };
  await removeOldHomes(folder.homes);
  if (sandbox.kind === "docker") {
    return openDocker({ ...place, image: sandbox.image, worktrees: folder.worktrees });
  }
  const probe = await probeBwrap(personsVariables().PATH);
  if ("problem" in probe) {
    if (sandbox.kind === "auto") return none(probe.problem);
    throw new WorkerProblem(
      `--sandbox bwrap: ${probe.problem}. Or start the worker with --sandbox off, on a machine that has nothing to lose`,
    );
  }
  return openBwrap({ ...place, program: probe.program, workDir: options.workDir });
}

/** Which sandbox a worker would have here, as `worker agents` says it. */
export async function describeSandbox(): Promise<string> {
  const probe = await probeBwrap(personsVariables().PATH);
  return "problem" in probe
    ? `sandbox   none: ${probe.problem}`
    : `sandbox   bwrap, ${probe.program}`;
}

function none(reason: string): Sandbox {
  return {
    confinement: "none",
    description: `no sandbox (${reason}): what agents run here can do what you can`,
    open: async () => noSandbox,
  };
}
