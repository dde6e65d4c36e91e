import { dirname } from "node:path";
import { fileURLToPath } from "node:url";

/** The folder of the project. */
export const root = dirname(dirname(dirname(dirname(fileURLToPath(import.meta.url)))));

/** Ends with one line on what is wrong and what mends it. */
export function fail(line) {
  process.stderr.write(`${line}\n`);
  process.exit(1);
}
