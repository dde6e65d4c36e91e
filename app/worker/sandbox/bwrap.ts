import { personsVariables } from "../job/environment";
import { innerEnvironment } from "./inner-environment";
import { isolation } from "./isolation";
import { openJobPlace, type PlaceWish, proxySocket } from "./job-place";
import { takeOver } from "./job-store";
import type { Launch } from "./launch";
import { forwarded, proxyVariables } from "./network/forwarder";
import type { JobNetwork } from "./network/job-network";
import { type ProgramMounts, programMounts } from "./program-mounts";
import type { JobSandbox, Sandbox, SandboxedJob } from "./sandbox";
import { systemMounts } from "./system-mounts";

interface BwrapWish extends PlaceWish {
  /** Path of bwrap. */
  program: string;
  /** The worker's own folder; only parts of it are mounted. */
  workDir: string;
}

/** Sandbox with bubblewrap: kernel namespaces, no root needed. */
export async function openBwrap(wish: BwrapWish): Promise<Sandbox> {
  const machine = {
    system: await systemMounts(),
    programs: await programMounts(personsVariables(), [wish.workDir]),
  };
  return {
    confinement: "bwrap",
    description: `sandbox bwrap, network: ${wish.isOnline ? "all" : "listed hosts only"}`,
    open: (job) => openJob(wish, machine, job),
  };
}

interface Machine {
  system: string[];
  programs: ProgramMounts;
}

async function openJob(
  wish: BwrapWish,
  { system, programs }: Machine,
  job: SandboxedJob,
): Promise<JobSandbox> {
  const { home, network, mountsOf } = await openJobPlace(wish, job);
  const proxy = network === null ? {} : proxyVariables(network.ports);
  const environment = (persons: Record<string, string>) =>
    innerEnvironment(persons, home, { ...programs.variables, ...proxy });
  const confine = async (launch: Launch): Promise<Launch> => {
    const { folder } = launch;
    const words = [
      ...isolation,
      ...system,
      ...programs.mounts,
      ...(await mountsOf(folder)),
      ...networkWords(network),
      ...["--chdir", folder, "--", ...begun(network, [launch.program, ...launch.words])],
    ];
    const inner = environment(launch.environment);
    const cleared = () => takeOver(folder);
    return { program: wish.program, words, folder, environment: inner, endsAll: true, cleared };
  };
  return { confine, environment, close: async () => network?.close() };
}

function networkWords(network: JobNetwork | null): string[] {
  if (network !== null) return ["--unshare-net"];
  return ["--ro-bind-try", "/run/systemd/resolve", "/run/systemd/resolve"];
}

function begun(network: JobNetwork | null, words: string[]): string[] {
  if (network === null) return words;
  return forwarded({ node: process.execPath, socket: proxySocket, ports: network.ports }, words);
}
