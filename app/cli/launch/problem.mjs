import { basename, dirname } from "node:path";
import { fileURLToPath } from "node:url";

/** The folder of the project. */
export const root = dirname(dirname(dirname(dirname(fileURLToPath(import.meta.url)))));

/** An installed package comes built and holds nothing to build with; a clone builds itself. */
export const isPackage = basename(dirname(root)) === "node_modules";

/** What a person types here to run a program. */
export function typed(program) {
  if (isPackage) return `backloom ${program}`;
  return program === "start" ? "npm start" : `npm run ${program}`;
}

/** Ends with one line on what is wrong and what mends it. */
export function fail(line) {
  process.stderr.write(`${line}\n`);
  process.exit(1);
}
