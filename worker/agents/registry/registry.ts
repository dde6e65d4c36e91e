import { spawn } from "node:child_process";
import { once } from "node:events";
import { access, mkdir, mkdtemp, readdir, rename, rm, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { findProgram } from "../../base/find-program";
import { WorkerProblem } from "../../base/problems";
import { processEnvironment } from "../../base/process";
import { succeeds } from "../../base/run";
import { askInTerminal } from "../../base/terminal";
import { acpStart } from "../acp/agent";
import type { KnownDriver, ToolNeeds } from "../driver";
import { copiedOn, entries, type RegistryEntry } from "./entries";

/** Agents of the ACP registry: what speaks ACP, started by the registry's command. */
export const registryDrivers: readonly KnownDriver[] = entries.map((entry) => {
  const { id: name, title, program, args, environment: added, page } = entry;
  const signIn = `sign in as ${page} says`;
  return {
    name,
    title,
    program,
    signIn,
    install: installHint(entry),
    reports: {},
    needs: needsOf(entry),
    async find(environment) {
      const found = await findEntry(entry, environment);
      if (found === null) return null;
      return acpStart({ title, program: found, args, signIn, environment: () => added ?? {} });
    },
    isSignedIn: async () => null,
    askToInstall: (environment, stop) => askToInstall(entry, environment, stop),
  };
});

function needsOf({ program, home, variables, hosts = [] }: RegistryEntry): ToolNeeds {
  return {
    home: home ?? { settings: [], login: [], copied: [] },
    programs: [program],
    variables: () => (variables === undefined ? [] : [variables]),
    hosts,
    ownLookups: [],
  };
}

/** Folders of the agents that a command names and the worker has installed. */
export async function installedFolders(command: string, environment: Record<string, string>): Promise<string[]> {
  const ids = command.split(/\s+/);
  const folders = entries.filter(({ id }) => ids.includes(id)).map((entry) => installedFolder(entry, environment));
  const found = await Promise.all(folders);
  return found.flatMap((folder) => folder ?? []);
}

/** The ids and the day of the copy, for `worker agents --registry`. */
export function describeRegistry(isBuiltIn: (id: string) => boolean): string {
  const lines = entries.map((entry) => {
    const { id, title, package: its, args } = entry;
    const how = isBuiltIn(id)
      ? "built in"
      : its === undefined
        ? installHint(entry)
        : ["npx", `${its.name}@${its.version}`, ...args].join(" ");
    return `${id.padEnd(17)}${title}: ${how}`;
  });
  return [`ACP registry, copy of ${copiedOn}; start one with --agent <id>`, ...lines].join("\n");
}

type Environment = Record<string, string>;
type Package = NonNullable<RegistryEntry["package"]>;

/** Folder of an agent that the worker installed: one per version, as another version is asked about again. */
function folderFor({ id, package: its }: RegistryEntry, environment: Environment) {
  return its && join(folderOf(environment), `${id}-${its.version}`);
}

/** That folder, if it is there. */
async function installedFolder(entry: RegistryEntry, environment: Environment) {
  const folder = folderFor(entry, environment);
  if (folder === undefined) return null;
  return stat(folder).then(
    () => folder,
    () => null,
  );
}

function folderOf({ HOME = homedir() }: Environment): string {
  return join(HOME, ".backloom", "agents");
}

/** The user's own program comes first. */
async function findEntry(entry: RegistryEntry, environment: Environment) {
  const own = await findProgram(entry.program, environment);
  const folder = folderFor(entry, environment);
  if (own !== null || folder === undefined) return own;
  return findProgram(programIn(folder, entry), environment);
}

function programIn(folder: string, { program }: RegistryEntry): string {
  return join(folder, "node_modules", ".bin", program);
}

/** How the user installs it themselves. */
function installHint({ program, page, package: its }: RegistryEntry): string {
  if (its !== undefined) return `npm install -g ${its.name}@${its.version}`;
  return `the registry has only an archive, which is not supported: put ${program} on PATH as ${page} says`;
}

/** Asks the user in their terminal, and installs. Without a terminal, nothing is fetched. */
async function askToInstall(entry: RegistryEntry, environment: Environment, stop: AbortSignal): Promise<void> {
  const { title, id, package: its } = entry;
  const folder = folderFor(entry, environment);
  if (its === undefined || folder === undefined) return;
  const missing = `${title} is not installed on this machine`;
  if (!process.stdin.isTTY || !process.stdout.isTTY) {
    throw new WorkerProblem(
      `${missing}, and without a terminal nothing is fetched: start the worker once in a terminal with --agent ${id}, or run ${installHint(entry)}`,
    );
  }
  const line = `npm ${npmArgs(folder, its).join(" ")}`;
  const answer = await askInTerminal(
    `${missing}. Its version is fixed, its dependencies are the newest that npm finds. The worker would run as you:\n  ${line}\nInstall it? [y/N] `,
    stop,
  );
  if (!/^\s*y(es)?\s*$/i.test(answer)) {
    throw new WorkerProblem(`${missing}, and nothing was fetched: ${installHint(entry)}`);
  }
  await install(entry, its, folder, environment, stop);
}

function npmArgs(folder: string, { name, version }: Package): string[] {
  return ["install", "--ignore-scripts", "--no-audit", "--no-fund", "--prefix", folder, `${name}@${version}`];
}

/** In a folder next to its place until it is whole, so that a kill leaves nothing that counts as installed. */
async function install(
  entry: RegistryEntry,
  its: Package,
  folder: string,
  environment: Environment,
  stop: AbortSignal,
): Promise<void> {
  const npm = await findProgram("npm", environment);
  if (npm === null) throw new WorkerProblem("npm is not installed on this machine: install Node.js with npm");
  await mkdir(folderOf(environment), { recursive: true, mode: 0o700 });
  await removeUnfinished(environment);
  const unfinished = await mkdtemp(`${folder}${unfinishedMark}`);
  try {
    const child = spawn(npm, npmArgs(unfinished, its), {
      cwd: unfinished,
      env: processEnvironment(environment),
      signal: stop,
      stdio: ["ignore", "inherit", "inherit"],
    });
    const [code] = await once(child, "close");
    const program = programIn(unfinished, entry);
    const isThere = await succeeds(access(program));
    if (code !== 0 || !isThere) {
      throw new WorkerProblem(
        code === 0
          ? `${its.name}@${its.version} has no program ${entry.program}: see ${entry.page}`
          : `npm could not install ${its.name}@${its.version}: see its lines above`,
      );
    }
    await rm(folder, { recursive: true, force: true });
    await rename(unfinished, folder);
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
}

const unfinishedMark = ".unfinished-";

/** What killed workers left behind. An hour leaves another worker's installation alone. */
async function removeUnfinished(environment: Environment): Promise<void> {
  const folder = folderOf(environment);
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    const found = name.includes(unfinishedMark) ? await stat(path).catch(() => null) : null;
    if (found !== null && found.mtimeMs < Date.now() - 3_600_000) {
      await rm(path, { recursive: true, force: true });
    }
  }
}
