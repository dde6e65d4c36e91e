import { mkdir } from "node:fs/promises";
import { personsVariables } from "../base/environment";
import { askIn } from "../base/find-program";
import { WorkerProblem } from "../base/problems";
import type { Launch } from "../base/process";
import { mountOf, openJobPlace, type PlaceWish, proxySocket } from "./job-place";
import { takeOver } from "./job-store";
import { type ProgramMounts, programMounts, systemMounts } from "./mounts";
import { forwarded, proxyVariables } from "./network/forwarder";
import type { JobNetwork } from "./network/job-network";
import { isolation } from "./probe";
import type { JobSandbox, Sandbox, SandboxedJob } from "./sandbox";
import { apartFromOutside, innerEnvironment } from "./variables";

interface BwrapWish extends PlaceWish {
  /** Path of bwrap. */
  program: string;
  /** The worker's own folder; only parts of it are mounted. */
  workDir: string;
}

/** Sandbox with bubblewrap: kernel namespaces, no root needed. */
export async function openBwrap(wish: BwrapWish): Promise<Sandbox> {
  const machine = { system: await systemMounts(), programs: await programMounts(personsVariables(), [wish.workDir]) };
  await tryMounts(wish, machine);
  return {
    confinement: wish.isOnline ? "bwrap_open" : "bwrap",
    description: `sandbox bwrap, network: ${wish.isOnline ? "all" : "listed hosts only"}`,
    leftOut: wish.passing.leftOut,
    open: (job) => openJob(wish, machine, job),
  };
}

interface Machine {
  system: string[];
  programs: ProgramMounts;
}

/** Starts a program with the mounts of every job, so that what cannot be mounted here is told before a job is taken. */
async function tryMounts(
  { program, homes, caches, mounts: wanted }: BwrapWish,
  { system, programs }: Machine,
): Promise<void> {
  const folders = [homes, caches];
  for (const folder of folders) await mkdir(folder, { recursive: true });
  const mounts = [...folders.map((folder) => `${folder}:rw`), ...wanted].flatMap(mountOf);
  const words = [...isolation, ...system, ...programs.mounts, ...mounts, "--unshare-net", "true"];
  const end = await askIn({ program, words, folder: "/", environment: personsVariables() });
  if (end?.isWell) return;
  throw new WorkerProblem(
    `The sandbox does not start here (${end?.output.trim().slice(-500) ?? "bwrap is gone"}): choose another --work-dir or --mount, or start the worker with --sandbox off, on a machine that has nothing to lose`,
  );
}

/** What bwrap says and answers when it could not start the program. */
function startProblem(code: number | null, complaints: string): string | null {
  return code === 1 && complaints.startsWith("bwrap: ") ? complaints.slice(0, 500) : null;
}

async function openJob(wish: BwrapWish, { system, programs }: Machine, job: SandboxedJob): Promise<JobSandbox> {
  const { home, network, mountsOf, lendLogins } = await openJobPlace(wish, job);
  const proxy = network === null ? {} : proxyVariables(network.ports);
  const environment = (persons: Record<string, string>) =>
    innerEnvironment(persons, home, { ...programs.variables, ...proxy });
  const confine = async (launch: Launch): Promise<Launch> => {
    const { folder } = launch;
    const { outside, inside } = apartFromOutside(environment(launch.environment));
    const words = [
      ...isolation,
      ...system,
      ...programs.mounts,
      ...(await mountsOf(folder)),
      ...networkWords(network),
      ...inside.flatMap((pair) => ["--setenv", ...pair]),
      "--chdir",
      folder,
      "--",
      ...begun(network, [launch.program, ...launch.words]),
    ];
    const checkLogins = await lendLogins();
    const cleared = () => checkLogins().finally(() => takeOver(folder));
    const { program } = wish;
    return { program, words, folder, environment: outside, endsAll: true, cleared, startProblem };
  };
  const { variables } = wish.passing;
  return { confine, variables, environment, close: async () => network?.close() };
}

function networkWords(network: JobNetwork | null): string[] {
  if (network !== null) return ["--unshare-net"];
  return ["--ro-bind-try", "/run/systemd/resolve", "/run/systemd/resolve"];
}

function begun(network: JobNetwork | null, words: string[]): string[] {
  if (network === null) return words;
  return forwarded({ node: process.execPath, socket: proxySocket, ports: network.ports }, words);
}
