import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The project folder, searched upwards from this file, so that SQL files are found from sources and bundles alike. */
export const projectRoot = findProjectRoot(dirname(fileURLToPath(import.meta.url)));

function findProjectRoot(folder: string): string {
  const manifest = join(folder, "package.json");
  if (existsSync(manifest) && readFileSync(manifest, "utf8").includes('"name": "backloom"')) return folder;
  const parent = dirname(folder);
  if (parent === folder) throw new Error("The project folder (package.json) was not found");
  return findProjectRoot(parent);
}
