import { chmod, lstat, readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";

/**
 * Removes what is neither a file, a folder nor a link, at any depth and without opening it: git reads `.gitattributes` and the like
 * wherever they lie, and would wait at a pipe for somebody to write into it. Answers their names.
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

/** Of links only those that git reads itself, where it would come out at such a file. */
async function isInTheWay(path: string, withLinks: boolean): Promise<boolean> {
  const found = await lstat(path).catch(() => null);
  if (found === null) return false;
  if (!found.isSymbolicLink() || withLinks) return true;
  if (!/\/\.(git\w*|mailmap)$/.test(path)) return false;
  const target = await stat(path).catch(() => null);
  return target !== null && !target.isFile() && !target.isDirectory();
}

/** Git finds by its name what a folder does not list. */
async function entriesOf(folder: string) {
  const list = () => readdir(folder, { withFileTypes: true });
  return list().catch(async () => {
    await chmod(folder, 0o755).catch(() => undefined);
    return list().catch(() => []);
  });
}
