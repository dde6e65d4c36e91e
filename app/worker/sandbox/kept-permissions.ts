import { readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";

/** What the person of this machine has allowed for good, by what it is allowed for. */
const schema = z.record(z.string(), z.array(z.string()));

/** Hosts, by product. */
export function hostsFile(workDir: string): string {
  return join(workDir, "allowed-hosts.json");
}

/** Files, folders and sockets of this machine, by the folder of the repository that needs them. */
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
