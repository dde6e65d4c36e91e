import { tmpdir } from "node:os";
import { findProgram } from "../agents/find-program";
import type { WorkFolder } from "../git/work-folder";
import { personsVariables } from "../job/environment";
import { isDemo, type WorkerOptions } from "../options";
import { messageOf, WorkerProblem } from "../service/problems";
import { openBwrap } from "./bwrap";
import { openDocker } from "./docker";
import { probeDocker } from "./docker-probe";
import { removeOldHomes } from "./job-home";
import { openOwnCommand } from "./own-command";
import { passingVariables } from "./passing-variables";
import { probeBwrap } from "./probe";
import { noSandbox, type Sandbox } from "./sandbox";
import type { SandboxWish } from "./wish";

/** Opens the requested sandbox or fails. With `auto`, uses bwrap if it works here, otherwise none. */
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
    passing: await passingVariables(command, options.env),
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

/** Tries the sandbox that `--sandbox` names and describes it, for `worker agents`. */
export async function describeSandbox(wish: SandboxWish): Promise<string> {
  const said = await tellSandbox(wish).catch((error: unknown) => `none: ${messageOf(error)}`);
  return `sandbox   ${said}`;
}

async function tellSandbox(wish: SandboxWish): Promise<string> {
  if (wish.kind === "off") return "none: switched off with --sandbox off";
  if (wish.kind === "docker") {
    return `docker, image ${wish.image}, ${await probeDocker(wish.image)}`;
  }
  if (wish.kind === "command") {
    return (await openOwnCommand(wish.line, tmpdir())).description.replace(/^sandbox /, "");
  }
  const environment = personsVariables();
  const probe = await probeBwrap(environment.PATH);
  if ("program" in probe) return `bwrap, ${probe.program}`;
  const docker = await findProgram("docker", environment);
  const other = docker === null ? "" : `. Docker is here: --sandbox docker:<image>`;
  return `none: ${probe.problem}${other}`;
}

function none(reason: string): Sandbox {
  return {
    confinement: "none",
    leftOut: [],
    description: `no sandbox (${reason}): what agents run here can do what you can`,
    open: async () => noSandbox,
  };
}
