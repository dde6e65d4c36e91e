import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { basename, join } from "node:path";
import { personsVariables } from "../job/environment";
import { type GitPlace, openGitPlace } from "./git-mounts";
import { openJobHome } from "./job-home";
import { lendBranch } from "./job-store";
import { mountPath } from "./mount-path";
import { namedFiles } from "./named-files";
import { type JobNetwork, openJobNetwork } from "./network/job-network";
import type { SandboxedJob } from "./sandbox";

/** What a sandbox that the worker makes has to know, of whichever kind it is. */
export interface PlaceWish {
  /** The agent's name or the command that does the work. */
  command: string;
  /** All command lines that the person at this machine has written. */
  ownCommands: readonly string[];
  /** Where homes of jobs are. */
  homes: string;
  /** Where package managers keep what they fetched, by repository. */
  caches: string;
  service: URL;
  /** True for the network of the machine itself. */
  isOnline: boolean;
  /** What else of this machine is inside, as `--mount` names it. */
  mounts: readonly string[];
}

/** What is inside for one job, beside the system and its programs. */
export interface JobPlace {
  home: string;
  /** Null for the network of the machine itself. */
  network: JobNetwork | null;
  /** `--bind` or `--ro-bind`, where it is, and where it is inside: by threes, a later one covers an earlier one. */
  mountsOf(folder: string): Promise<string[]>;
}

/** Where the socket of the proxy is, inside. */
export const proxySocket = "/run/backloom-proxy";

/** Makes ready what is inside for a job: its home, the network and what of this machine it may see. */
export async function openJobPlace(
  { command, ownCommands, homes, caches, service, isOnline, mounts }: PlaceWish,
  { id, repository, reaches, wanted, refused, mounts: needed }: SandboxedJob,
): Promise<JobPlace> {
  const cache = join(caches, cacheName(repository));
  const wish = { folder: join(homes, id), command, environment: personsVariables() };
  const home = await openJobHome(wish, cache);
  const files = [...(await namedFiles(ownCommands)), ...mounts.flatMap(mountOf)];
  const network = isOnline ? null : await openJobNetwork({ reaches, wanted, service, refused });
  const socket = network === null ? [] : ["--bind", network.socket, proxySocket];
  // Known before anything has run there: nobody inside decides later what is mounted.
  const known = new Map<string, Promise<GitPlace>>();
  const gitOf = async (folder: string): Promise<string[]> => {
    const found = known.get(folder) ?? openGitPlace(folder);
    known.set(folder, found);
    const { mounts, store } = await found;
    if (store !== null) await lendBranch(store);
    return mounts;
  };
  return {
    home: home.folder,
    network,
    mountsOf: async (folder) => [
      ...["--bind", home.folder, home.folder],
      ...home.mounts,
      ...["--bind", folder, folder],
      ...(await gitOf(folder)),
      ...files,
      ...needed.filter(isThere).flatMap(mountOf),
      ...socket,
    ],
  };
}

function mountOf(mount: string): string[] {
  const { path, isWritable } = mountPath(mount);
  return [isWritable ? "--bind" : "--ro-bind", path, path];
}

/** A database that is switched off, for example, has no socket, and the job goes on without. */
function isThere(mount: string): boolean {
  return existsSync(mountPath(mount).path);
}

function cacheName(repository: string): string {
  const hash = createHash("sha256").update(repository).digest("hex").slice(0, 8);
  return `${basename(repository)
    .replace(/[^\w.-]/g, "_")
    .slice(0, 60)}-${hash}`;
}
