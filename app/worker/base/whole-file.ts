import { rename, writeFile } from "node:fs/promises";

/** Writes a file that is whole after a kill at any byte: the old one or the new one. */
export async function writeWhole(file: string, text: string): Promise<void> {
  await writeFile(`${file}.new`, text);
  await rename(`${file}.new`, file);
}
