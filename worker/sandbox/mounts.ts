import { realpathSync } from "node:fs";
import { lstat, readdir, readlink, realpath, stat } from "node:fs/promises";
import { homedir, totalmem } from "node:os";
import { basename, delimiter, dirname, isAbsolute, join, sep } from "node:path";
import { allDrivers } from "../agents/catalog";
import { findProgram } from "../base/find-program";

const systemFolders = ["/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"];
/** Places of programs and settings on other systems, such as NixOS. */
const otherSystems = ["/nix/store", "/run/current-system", "/etc/static"];
/** /tmp is in memory, so its size is limited. */
const temporaryBytes = Math.min(2 * 1024 ** 3, Math.floor(totalmem() / 4));

/** Mounts the system's programs and settings read-only, hiding what is not world-readable. Everything else is empty. */
export async function systemMounts(): Promise<string[]> {
  const links = await Promise.all(systemFolders.map(systemFolder));
  const others = otherSystems.flatMap((folder) => ["--ro-bind-try", folder, folder]);
  return [
    "--ro-bind",
    "/usr",
    "/usr",
    ...links.flat(),
    "--ro-bind",
    "/etc",
    "/etc",
    ...(await secretsIn("/etc")),
    ...others,
    "--proc",
    "/proc",
    "--dev",
    "/dev",
    "--dir",
    "/var",
    "--dir",
    "/run",
    "--size",
    String(temporaryBytes),
    "--tmpfs",
    "/tmp",
    // A folder of its own: below a link nothing can be mounted.
    "--size",
    String(temporaryBytes),
    "--tmpfs",
    "/var/tmp",
  ];
}

async function systemFolder(folder: string): Promise<string[]> {
  const found = await lstat(folder).catch(() => null);
  if (found === null) return [];
  return found.isSymbolicLink() ? ["--symlink", await readlink(folder), folder] : ["--ro-bind", folder, folder];
}

/** Hides files that are not world-readable: root inside would own them. */
async function secretsIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const mounts = entries.map(async (entry) => {
    const path = join(folder, entry.name);
    if (!entry.isDirectory() && !entry.isFile()) return [];
    const found = await stat(path).catch(() => null);
    if (found === null) return [];
    const isPublic = (found.mode & 0o004) !== 0;
    if (entry.isFile()) return isPublic ? [] : ["--ro-bind", "/dev/null", path];
    return isPublic ? secretsIn(path) : ["--tmpfs", path];
  });
  return (await Promise.all(mounts)).flat();
}

/** Toolchains in a home, and the variables that locate them when the home is different. */
const toolchains: Record<string, string> = {
  ".nvm": "NVM_DIR",
  ".pyenv": "PYENV_ROOT",
  ".rbenv": "RBENV_ROOT",
  ".nodenv": "NODENV_ROOT",
  ".volta": "VOLTA_HOME",
  ".asdf": "ASDF_DATA_DIR",
  ".rustup": "RUSTUP_HOME",
  ".sdkman": "SDKMAN_DIR",
  ".bun": "BUN_INSTALL",
  ".deno": "DENO_INSTALL",
  ".local/share/mise": "MISE_DATA_DIR",
  ".local/share/fnm": "FNM_DIR",
};

export const toolchainVariables = Object.values(toolchains);

/** Programs that may be links to packages elsewhere. */
const known = [
  ...allDrivers.flatMap(({ needs }) => needs.programs),
  "node",
  "npm",
  "pnpm",
  "yarn",
  "python3",
  "uv",
  "go",
  "cargo",
  "java",
  "git",
];

export type ProgramMounts = { mounts: string[]; variables: Record<string, string> };

/** Read-only mounts of the PATH's folders and the toolchains behind them. */
export async function programMounts(
  environment: Record<string, string>,
  /** Folders that would expose these are not mounted. */
  hidden: readonly string[],
): Promise<ProgramMounts> {
  const home = environment.HOME ?? homedir();
  const covers = (folder: string) => [home, ...hidden].some((path) => holds(folder, path));
  const folders = new Set<string>();
  const add = async (folder: string): Promise<void> => {
    const found = await stat(folder).catch(() => null);
    if (found !== null && !isSystem(folder) && !covers(folder)) folders.add(folder);
  };
  const path = (environment.PATH ?? "").split(delimiter).filter(isAbsolute);
  for (const folder of path) await add(folder);
  const found = await Promise.all(known.map((name) => findProgram(name, environment)));
  for (const program of [process.execPath, ...found]) {
    const location = program === null ? null : await installFolder(program, home);
    if (location !== null) await add(location);
  }
  const variables: Record<string, string> = {};
  for (const [folder, variable] of Object.entries(toolchains)) {
    const location = environment[variable] ?? join(home, folder);
    if ((await stat(location).catch(() => null)) === null || !isAbsolute(location)) continue;
    await add(location);
    if (folders.has(location)) variables[variable] = location;
  }
  // Parents first: a later mount would cover an earlier one.
  const sorted = [...folders].sort();
  return { mounts: sorted.flatMap((folder) => ["--ro-bind", folder, folder]), variables };
}

/** Install folder of a program. Its file may be a link into a package whose other files it needs. */
async function installFolder(program: string, home: string): Promise<string | null> {
  const real = await realpath(program).catch(() => null);
  if (real === null) return null;
  const packages = `${sep}node_modules${sep}`;
  const index = real.indexOf(packages);
  if (index >= 0) return real.slice(0, index + packages.length - 1);
  const folder = dirname(real);
  const parent = dirname(folder);
  // `~/.local` holds private data besides programs, so only its `bin` is mounted.
  return basename(folder) === "bin" && parent !== join(home, ".local") ? parent : folder;
}

export function isSystem(path: string): boolean {
  return ["/usr", ...systemFolders, "/nix/store"].some((folder) => holds(folder, path));
}

/** True if a path is the folder or lies below it. */
export function holds(folder: string, path: string): boolean {
  return path === folder || path.startsWith(folder === "/" ? "/" : `${folder}/`);
}

/** Parses a `--mount` or `needs:` entry: a path of this machine, followed by `:rw` if jobs may write to it. */
export function mountPath(mount: string): { path: string; isWritable: boolean } {
  const isWritable = mount.endsWith(":rw");
  return { path: mount.replace(/:rw$/, "").replace(/^~/, homedir()), isWritable };
}

/** An entry of `needs:` as a person is asked about it: with the path that it really leads to. */
export interface NeededMount {
  /** As an entry of `--mount`. */
  name: string;
  path: string;
  real: string;
  isWritable: boolean;
}

export function neededMount(mount: string): NeededMount {
  const { path, isWritable } = mountPath(mount);
  const real = realPathOf(path) ?? path;
  return { name: `${real}${isWritable ? ":rw" : ""}`, path, real, isWritable };
}

/** False if nothing is there, or something else than was allowed. */
export function isAsAllowed({ real }: NeededMount): boolean {
  return realPathOf(real) === real;
}

function realPathOf(path: string): string | null {
  try {
    return realpathSync(path);
  } catch {
    return null;
  }
}
