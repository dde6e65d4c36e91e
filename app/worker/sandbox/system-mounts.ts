import { lstat, readdir, readlink, stat } from "node:fs/promises";
import { totalmem } from "node:os";
import { join } from "node:path";

export const systemFolders = ["/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"];
/** Places of programs and settings on other systems, such as NixOS. */
const otherSystems = ["/nix/store", "/run/current-system", "/etc/static"];
/** /tmp is in memory, so its size is limited. */
const temporaryBytes = Math.min(2 * 1024 ** 3, Math.floor(totalmem() / 4));

/** Mounts the system's programs and settings read-only, hiding what is not world-readable. Everything else is empty. */
export async function systemMounts(): Promise<string[]> {
  const links = await Promise.all(systemFolders.map(systemFolder));
  const others = otherSystems.flatMap((folder) => ["--ro-bind-try", folder, folder]);
  return [
    ...["--ro-bind", "/usr", "/usr"],
    ...links.flat(),
    ...["--ro-bind", "/etc", "/etc"],
    ...(await secretsIn("/etc")),
    ...others,
    ...["--proc", "/proc", "--dev", "/dev", "--dir", "/var", "--dir", "/run"],
    ...["--size", String(temporaryBytes), "--tmpfs", "/tmp"],
    // A folder of its own: below a link nothing can be mounted.
    ...["--size", String(temporaryBytes), "--tmpfs", "/var/tmp"],
  ];
}

async function systemFolder(folder: string): Promise<string[]> {
  const found = await lstat(folder).catch(() => null);
  if (found === null) return [];
  return found.isSymbolicLink()
    ? ["--symlink", await readlink(folder), folder]
    : ["--ro-bind", folder, folder];
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
