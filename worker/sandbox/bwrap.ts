import { mkdir } from "node:fs/promises";
import { personsVariables } from "../base/environment";
import { askIn } from "../base/find-program";
import { WorkerProblem } from "../base/problems";
import type { Launch } from "../base/process";
import { takeOver } from "./job-store";
import { entryFolder, mountOf, openJobView, proxySocket, type ViewOptions } from "./job-view";
import { type ProgramMounts, programMounts, systemMounts } from "./mounts";
import { forwarded, isTakenInside, proxyVariables } from "./network/forwarder";
import type { JobNetwork } from "./network/job-network";
import { isolation } from "./probe";
import type { JobSandbox, Sandbox, SandboxedJob } from "./sandbox";
import { apartFromOutside, innerEnvironment } from "./variables";

interface BwrapOptions extends ViewOptions {
  program: string;
  /** The worker's own folder; only parts of it are mounted. */
  workDir: string;
}

/** Sandbox with bubblewrap: kernel namespaces, no root needed. */
export async function openBwrap(options: BwrapOptions): Promise<Sandbox> {
  const machine = {
    system: await systemMounts(),
    programs: await programMounts(personsVariables(), [options.workDir]),
  };
  await tryMounts(options, machine);
  return {
    confinement: options.isOnline ? "bwrap_open" : "bwrap",
    description: `sandbox bwrap, network: ${options.isOnline ? "all" : "listed hosts only"}`,
    leftOut: options.passing.leftOut,
    open: (job) => openJob(options, machine, job),
  };
}

type Machine = { system: string[]; programs: ProgramMounts };

/** Starts a program with the mounts of every job, so that what cannot be mounted here is told before a job is taken. */
async function tryMounts(
  { program, homes, caches, mounts: wanted }: BwrapOptions,
  { system, programs }: Machine,
): Promise<void> {
  const folders = [homes, caches];
  for (const folder of folders) await mkdir(folder, { recursive: true });
  const mounts = [...folders.map((folder) => `${folder}:rw`), ...wanted].flatMap(mountOf);
  const args = [...isolation, ...system, ...programs.mounts, ...mounts, "--unshare-net", "true"];
  const end = await askIn({ program, args, folder: "/", environment: personsVariables() });
  if (end?.isWell) return;
  throw new WorkerProblem(
    `The sandbox does not start here (${end?.output.trim().slice(-500) ?? "bwrap is gone"}): choose another --work-dir or --mount, or start the worker with --sandbox off, on a machine that has nothing to lose`,
  );
}

/** What bwrap says and answers when it could not start the program. */
function startProblem(code: number | null, complaints: string): string | null {
  return code === 1 && complaints.startsWith("bwrap: ") ? complaints.slice(0, 500) : null;
}

async function openJob(options: BwrapOptions, { system, programs }: Machine, job: SandboxedJob): Promise<JobSandbox> {
  const { home, network, mountsOf, lendLogins } = await openJobView(options, job);
  const proxy = network === null ? {} : proxyVariables(network.ports);
  if (network !== null && job.entry !== undefined && isTakenInside(job.entry.port, network.ports)) {
    await network.close();
    throw new Error(
      `Port ${job.entry.port} is the worker's own in the sandbox. Choose another \`port\` for the preview`,
    );
  }
  const environment = (persons: Record<string, string>) =>
    innerEnvironment(persons, home, { ...programs.variables, ...proxy });
  const confine = async (launch: Launch): Promise<Launch> => {
    const { folder } = launch;
    const { outside, inside } = apartFromOutside(environment(launch.environment));
    const args = [
      ...isolation,
      ...system,
      ...programs.mounts,
      ...(await mountsOf(folder)),
      ...networkArgs(network),
      ...inside.flatMap((pair) => ["--setenv", ...pair]),
      "--chdir",
      folder,
      "--",
      ...begun(network, job.entry?.port, [launch.program, ...launch.args]),
    ];
    const checkLogins = await lendLogins();
    const cleared = () => checkLogins().finally(() => takeOver(folder));
    const { program } = options;
    return { program, args, folder, environment: outside, endsAll: true, cleared, startProblem };
  };
  const { variables } = options.passing;
  return { confine, variables, environment, close: async () => network?.close() };
}

function networkArgs(network: JobNetwork | null): string[] {
  if (network !== null) return ["--unshare-net"];
  return ["--ro-bind-try", "/run/systemd/resolve", "/run/systemd/resolve"];
}

function begun(network: JobNetwork | null, port: number | undefined, args: string[]): string[] {
  if (network === null) return args;
  const entry = port === undefined ? undefined : { socket: `${entryFolder}/in`, port };
  return forwarded({ node: process.execPath, socket: proxySocket, ports: network.ports, entry }, args);
}
