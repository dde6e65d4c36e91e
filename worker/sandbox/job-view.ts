import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { access, lstat, mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { personsVariables } from "../base/environment";
import { sourceEnd } from "../git/copied";
import { isBehindLink, type Shared } from "../git/included";
import { referencesEnd } from "../git/worktree";
import { openJobHome } from "./job-home";
import { type JobStore, lendBranch, objectsInside, openStore, othersRefs } from "./job-store";
import { lendLogins } from "./kept-logins";
import { holds, isAsAllowed, isSystem, mountPath, type NeededMount } from "./mounts";
import { type JobNetwork, openJobNetwork } from "./network/job-network";
import type { SandboxedJob } from "./sandbox";
import type { PassingVariables } from "./variables";

/** Settings that every kind of sandbox needs. */
export interface ViewOptions {
  /** All command lines the user has configured. */
  ownCommands: readonly string[];
  /** Folder of the jobs' homes. */
  homes: string;
  caches: string;
  service: URL;
  /** True if jobs use the machine's own network. */
  isOnline: boolean;
  /** Further paths of this machine to mount, as in `--mount`. */
  mounts: readonly string[];
  passing: PassingVariables;
}

/** What a job sees besides the system and its programs. */
export interface JobView {
  home: string;
  /** Null if the job uses the machine's own network. */
  network: JobNetwork | null;
  /** Triples of `--bind` or `--ro-bind`, path outside, path inside. A later one covers an earlier one. */
  mountsOf(folder: string): Promise<string[]>;
  /** Call it before each program, and what it returns after its end. */
  lendLogins(): Promise<() => Promise<void>>;
}

export const proxySocket = "/run/backloom-proxy";
/** Folder inside the sandbox of the socket by which the worker reaches a port there. */
export const entryFolder = "/run/backloom-preview";

/** Prepares a job's home, network and mounts. */
export async function openJobView(
  { ownCommands, homes, caches, service, isOnline, mounts }: ViewOptions,
  { id, command, repository, allowedHosts, wanted, refused, loginPutBack, mounts: needed, shares, entry }: SandboxedJob,
): Promise<JobView> {
  const cache = join(caches, cacheName(repository));
  const options = { folder: join(homes, id), command, environment: personsVariables() };
  const home = await openJobHome(options, cache);
  const files = [...(await namedFiles(ownCommands)), ...mounts.flatMap(mountOf)];
  const workers = dirname(dirname(homes));
  const isShown = mounts.some((mount) => holds(mountPath(mount).path, workers));
  // Other jobs' worktrees and the tokens of what people have taken stay out of sight.
  const hiddenWork = isShown ? ["--tmpfs", workers] : [];
  const network = isOnline ? null : await openJobNetwork({ allowedHosts, wanted, service, refused });
  const way = entry === undefined ? [] : ["--bind", entry.folder, entryFolder];
  const socket = network === null ? [] : ["--bind", network.socket, proxySocket, ...way];
  // Computed before anything runs in the folder, so that a job cannot change what is mounted later.
  const known = new Map<string, Promise<GitMounts>>();
  const gitOf = async (folder: string): Promise<string[]> => {
    const found = known.get(folder) ?? openGitMounts(folder);
    known.set(folder, found);
    const { mounts, store } = await found;
    if (store !== null) await lendBranch(store);
    return mounts;
  };
  return {
    home: home.folder,
    network,
    lendLogins: () => lendLogins(home.logins, loginPutBack),
    // What the user mounts comes first: a folder above the worktree would cover it.
    mountsOf: async (folder) => [
      ...files,
      ...needed.filter(isAsAllowed).flatMap(neededArgs),
      ...hiddenWork,
      "--bind",
      home.folder,
      home.folder,
      ...home.mounts,
      "--bind",
      folder,
      folder,
      ...(await gitOf(folder)),
      ...(await sharedIn(folder, shares)),
      ...readOnly(await existing(`${folder}${referencesEnd}`, [""])),
      ...readOnly(await existing(`${folder}${sourceEnd}`, [""])),
      ...socket,
    ],
  };
}

/** Not where the work has something, such as a link that leads out. */
async function sharedIn(folder: string, shares: readonly Shared[]): Promise<string[]> {
  const mounts = shares.map(async ({ source, path }) => {
    const place = join(folder, path);
    const there = await lstat(place).catch(() => null);
    const isFree = there === null || (there.isDirectory() && (await readdir(place)).length === 0);
    return isFree && !(await isBehindLink(folder, path)) ? ["--ro-bind-try", source, place] : [];
  });
  return (await Promise.all(mounts)).flat();
}

export function mountOf(mount: string): string[] {
  const { path, isWritable } = mountPath(mount);
  return [isWritable ? "--bind" : "--ro-bind", path, path];
}

/** At the place where the repository looks for it. Missing paths, such as a stopped database's socket, are left out. */
function neededArgs({ path, real, isWritable }: NeededMount): string[] {
  return [isWritable ? "--bind" : "--ro-bind", real, path];
}

function cacheName(repository: string): string {
  const hash = createHash("sha256").update(repository).digest("hex").slice(0, 8);
  return `${basename(repository)
    .replace(/[^\w.-]/g, "_")
    .slice(0, 60)}-${hash}`;
}

/** Read-only mounts for files named in the user's own command lines, so that they can run. */
async function namedFiles(commands: readonly string[]): Promise<string[]> {
  const names = commands.flatMap((command) => command.match(/(?<![^\s"'=])\/[^\s"';|&<>()$`]+/g) ?? []);
  const files = await Promise.all(
    [...new Set(names)].map(async (name) => {
      const found = await stat(name).catch(() => null);
      if (!found?.isFile() || isSystem(name)) return [];
      const shown = isBuiltProgram(name) ? programFolders(name) : [name];
      return shown.flatMap((path) => ["--ro-bind", path, path]);
    }),
  );
  return files.flat();
}

/** The demo command runs the worker's own program (clone or package), which needs sibling files and packages. */
function isBuiltProgram(file: string): boolean {
  return file === process.argv[1] && /\/build\/(programs|package)$/.test(dirname(file));
}

function programFolders(file: string): string[] {
  const root = dirname(dirname(dirname(file)));
  const packages = [join(root, "node_modules"), dirname(root)];
  const found = packages.find((folder) => basename(folder) === "node_modules" && existsSync(folder));
  return found === undefined ? [dirname(file)] : [dirname(file), found];
}

/** Git mounts of a worktree, and the store that receives what the job writes. */
interface GitMounts {
  mounts: string[];
  /** Null if the folder is not a worktree. */
  store: JobStore | null;
}

/**
 * Read-only, with the job's own objects and branches. Trap: do not lock files in it one by one. A mount on a file ends
 * when someone outside replaces it, as each `git config` does, and the file below would be writable.
 */
async function openGitMounts(folder: string): Promise<GitMounts> {
  const file = join(folder, ".git");
  const isFile = await lstat(file).then(
    (found) => found.isFile(),
    () => false,
  );
  if (!isFile) return { mounts: [], store: null };
  const own = resolve(folder, pathIn(await readFile(file, "utf8")));
  const common = resolve(own, (await readFile(join(own, "commondir"), "utf8")).trim());
  const names = ["objects", "objects/info", "objects/pack", "logs"];
  const folders = [...names, ...othersRefs.map((name) => `refs/${name}`)];
  for (const name of folders) await mkdir(join(common, name), { recursive: true });
  await openWorktreeSettings(common, own);
  await mkdir(join(own, "logs"), { recursive: true });
  const store = await openStore(folder, own, common);
  const stored = (how: string, from: string, to: string): string[] => [how, join(store.folder, from), to];
  const mounts = [
    ...readOnly([common]),
    "--ro-bind",
    join(common, "objects"),
    objectsInside,
    ...stored("--bind", "objects", join(common, "objects")),
    // Read-only, so that the job cannot add other alternates.
    ...stored("--ro-bind", "info", join(common, "objects", "info")),
    ...stored("--ro-bind", "pack", join(common, "objects", "pack")),
    ...stored("--bind", "refs", join(common, "refs")),
    ...readOnly(othersRefs.map((name) => join(common, "refs", name))),
    "--bind",
    own,
    own,
    // Git appends to logs through links, so the job gets logs of its own.
    ...stored("--bind", "logs/branches", join(common, "logs")),
    ...stored("--bind", "logs/worktree", join(own, "logs")),
    ...readOnly(await existing(own, ["commondir", "gitdir", "config.worktree", "modules"])),
    ...readOnly([file]),
  ];
  return { mounts, store };
}

function readOnly(paths: readonly string[]): string[] {
  return paths.flatMap((path) => ["--ro-bind", path, path]);
}
async function existing(folder: string, names: readonly string[]): Promise<string[]> {
  const found = await Promise.all(
    names.map(async (name) => {
      const path = join(folder, name);
      return access(path).then(
        () => [path],
        () => [],
      );
    }),
  );
  return found.flat();
}

/** If worktrees may have their own config, creates the file, so that a job cannot be the first to write it. */
async function openWorktreeSettings(common: string, own: string): Promise<void> {
  const config = await readFile(join(common, "config"), "utf8").catch(() => "");
  if (!/worktreeconfig/i.test(config)) return;
  await writeFile(join(own, "config.worktree"), "", { flag: "a" });
}

function pathIn(text: string): string {
  return /^gitdir: (.+)$/m.exec(text)?.[1]?.trim() ?? "";
}
