import { copyFile, lstat, mkdir, readdir, realpath, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { ToolHome } from "../agents/driver";
import { git } from "../git/git";
import { plainFolder } from "./job-store";
import type { Login } from "./kept-logins";
import { folderOf, needsOf } from "./tool-homes";

/** Home of one job: holds only what its tool needs. Kept, so that later attempts can continue. */
export interface JobHome {
  folder: string;
  mounts: string[];
  /** The files of the user among them that programs may renew. */
  logins: Login[];
}

interface HomeOptions {
  folder: string;
  /** The command, or the agent's name. */
  command: string;
  environment: Record<string, string>;
}

/** Package caches shared by all jobs of a repository. */
const cacheFolders = [
  ".npm",
  ".cache",
  ".local/share/pnpm",
  ".cargo/registry",
  ".cargo/git",
  "go/pkg",
  ".gradle/caches",
  ".m2/repository",
  ".nuget/packages",
  ".bun/install/cache",
];

const keptDays = 30;

/** Prepares a job's home and returns what to mount in it. */
export async function openJobHome(options: HomeOptions, cache: string): Promise<JobHome> {
  const { folder, environment } = options;
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const mounts: string[] = [];
  const logins: Login[] = [];
  for (const name of cacheFolders) {
    const source = join(cache, name.replaceAll("/", "-"));
    await mkdir(source, { recursive: true });
    await plainFolder(folder, join(folder, name));
    mounts.push("--bind", source, join(folder, name));
  }
  for (const { home: tool } of needsOf(options.command)) {
    mounts.push(...(await toolMounts(tool, folder, environment)));
    logins.push(...(await loginsOf(tool, environment)));
  }
  await writeAnew(join(folder, ".gitconfig"), await gitIdentity());
  return { folder, mounts, logins };
}

/** Real paths: a user may keep them elsewhere, but a link that a job put there is not followed. */
async function loginsOf(tool: ToolHome, environment: Record<string, string>): Promise<Login[]> {
  const found = tool.login.map(async (name) => {
    const file = await realpath(folderOf(tool, name, environment)).catch(() => null);
    return file === null ? [] : [{ name, file }];
  });
  return (await Promise.all(found)).flat();
}

async function toolMounts(tool: ToolHome, folder: string, environment: Record<string, string>): Promise<string[]> {
  const mounts: string[] = [];
  const bind = async (how: "--bind" | "--ro-bind", name: string): Promise<void> => {
    const [source, target] = [folderOf(tool, name, environment), join(folder, name)];
    const isThere = (await stat(source).catch(() => null)) !== null;
    await clearTarget(folder, target, isThere);
    if (isThere) mounts.push(how, source, target);
  };
  for (const name of tool.settings) await bind("--ro-bind", name);
  for (const name of tool.login) await bind("--bind", name);
  for (const name of tool.copied) {
    const [source, target] = [folderOf(tool, name, environment), join(folder, name)];
    if (!(await stat(source).catch(() => null))?.isFile()) continue;
    await plainFolder(folder, dirname(target));
    await rm(target, { recursive: true, force: true });
    await copyFile(source, target);
  }
  return mounts;
}

/** Removes what an earlier attempt left at a mount point. A link there could redirect the mount. */
async function clearTarget(home: string, target: string, isUsed: boolean): Promise<void> {
  await plainFolder(home, dirname(target));
  const found = await lstat(target).catch(() => null);
  // A former mount point remains as an empty file.
  const isInTheWay = found?.isSymbolicLink() || (!isUsed && found?.isFile() && found.size === 0);
  if (isInTheWay) await rm(target, { force: true });
}

async function writeAnew(file: string, text: string): Promise<void> {
  await rm(file, { recursive: true, force: true });
  await writeFile(file, text, { flag: "wx" });
}

/** Only name and email: the rest of the user's git config names programs and passwords. */
async function gitIdentity(): Promise<string> {
  const configured = (name: string) => git("/", "config", "--global", "--get", name).catch(() => "");
  const quoted = (text: string) => JSON.stringify(text.replaceAll(/[\n\r]/g, " "));
  const name = (await configured("user.name")) || "Backloom worker";
  const email = (await configured("user.email")) || "worker@localhost";
  return `[user]\n\tname = ${quoted(name)}\n\temail = ${quoted(email)}\n[safe]\n\tdirectory = *\n`;
}

/** Deletes homes of jobs that were not used for 30 days. */
export async function removeOldHomes(homes: string): Promise<void> {
  const oldest = Date.now() - keptDays * 86_400_000;
  for (const name of await readdir(homes).catch(() => [])) {
    const folder = join(homes, name);
    const found = await stat(folder).catch(() => null);
    if (found !== null && found.mtimeMs < oldest) {
      await rm(folder, { recursive: true, force: true });
    }
  }
}
