import { chmod, lstat, readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";

/**
 * Removes everything that is not a file, folder or link, at any depth, without opening it. Git reads `.gitattributes`
 * and the like anywhere, and would block on a pipe. Returns the names.
 */
export async function removeSpecialFiles(folder: string, withLinks = false): Promise<string[]> {
  const removed: string[] = [];
  const look = async (below: string): Promise<void> => {
    const entries = await entriesOf(join(folder, below));
    for (const entry of entries) {
      const name = join(below, entry.name);
      if (entry.isDirectory()) await look(name);
      else if (!entry.isFile() && (await isInTheWay(join(folder, name), withLinks))) {
        await rm(join(folder, name), { force: true });
        removed.push(name);
      }
    }
  };
  await look("");
  return removed;
}

/** Without `withLinks`, removes a link only if git reads it by name and it leads to a special file. */
async function isInTheWay(path: string, withLinks: boolean): Promise<boolean> {
  const found = await lstat(path).catch(() => null);
  if (found === null) return false;
  if (!found.isSymbolicLink() || withLinks) return true;
  if (!/\/\.(git\w*|mailmap)$/.test(path)) return false;
  const target = await stat(path).catch(() => null);
  return target !== null && !target.isFile() && !target.isDirectory();
}

/** Git opens files by name even in a folder that cannot be listed, so it is made listable. */
async function entriesOf(folder: string) {
  const list = () => readdir(folder, { withFileTypes: true });
  return list().catch(async () => {
    await chmod(folder, 0o755).catch(() => undefined);
    return list().catch(() => []);
  });
}
