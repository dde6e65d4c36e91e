import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/**
 * The folder of the project, found from this file upwards, so that the SQL files are found
 * from the sources and from a bundle under `build/` alike.
 */
export const projectRoot = findProjectRoot(dirname(fileURLToPath(import.meta.url)));

function findProjectRoot(folder: string): string {
  const manifest = join(folder, "package.json");
  if (existsSync(manifest) && readFileSync(manifest, "utf8").includes('"name": "backloom"')) {
    return folder;
  }
  const parent = dirname(folder);
  if (parent === folder) throw new Error("The project folder (package.json) was not found");
  return findProjectRoot(parent);
}
