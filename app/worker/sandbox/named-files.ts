import { existsSync } from "node:fs";
import { stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { isSystem } from "./program-mounts";

/** Read-only mounts for files named in the user's own command lines, so that they can run. */
export async function namedFiles(commands: readonly string[]): Promise<string[]> {
  const names = commands.flatMap(
    (command) => command.match(/(?<![^\s"'=])\/[^\s"';|&<>()$`]+/g) ?? [],
  );
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

/**
 * True for the worker's own program (clone or package), which the demo command runs. It needs sibling files and
 * packages.
 */
function isBuiltProgram(file: string): boolean {
  return file === process.argv[1] && /\/build\/(programs|package)$/.test(dirname(file));
}

function programFolders(file: string): string[] {
  const root = dirname(dirname(dirname(file)));
  const packages = [join(root, "node_modules"), dirname(root)];
  const found = packages.find(
    (folder) => basename(folder) === "node_modules" && existsSync(folder),
  );
  return found === undefined ? [dirname(file)] : [dirname(file), found];
}
