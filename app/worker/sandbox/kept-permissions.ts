import { readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";

/** Permanent permissions of the user, by product or repository. */
const schema = z.record(z.string(), z.array(z.string()));

/** File of allowed hosts, by product. */
export function hostsFile(workDir: string): string {
  return join(workDir, "allowed-hosts.json");
}

/** File of allowed files, folders and sockets, by repository folder. */
export function mountsFile(workDir: string): string {
  return join(workDir, "allowed-mounts.json");
}

export async function keptIn(file: string, place: string): Promise<string[]> {
  return (await read(file))[place] ?? [];
}

export async function keepIn(file: string, place: string, allowed: string): Promise<void> {
  const kept = await read(file);
  const all = new Set([...(kept[place] ?? []), allowed]);
  await writeFile(`${file}.new`, `${JSON.stringify({ ...kept, [place]: [...all] }, null, 2)}\n`);
  await rename(`${file}.new`, file);
}

async function read(file: string): Promise<z.output<typeof schema>> {
  const text = await readFile(file, "utf8").catch(() => "{}");
  try {
    return schema.parse(JSON.parse(text));
  } catch {
    return {};
  }
}
