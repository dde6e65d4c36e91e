import { basename, dirname } from "node:path";
import { fileURLToPath } from "node:url";

export const root = dirname(dirname(dirname(dirname(fileURLToPath(import.meta.url)))));

/** True for an installed package, which comes built. A clone builds itself. */
export const isPackage = basename(dirname(root)) === "node_modules";

/** The command a person types here to run a program. */
export function typed(program) {
  if (isPackage) return `backloom ${program}`;
  return program === "start" ? "npm start" : `npm run ${program}`;
}

/** Exits with one line that says what is wrong and how to fix it. */
export function fail(line) {
  process.stderr.write(`${line}\n`);
  process.exit(1);
}
