import { readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";

/** What the person of this machine has allowed for good, by product. */
const schema = z.record(z.string(), z.array(z.string()));

export function hostsFile(workDir: string): string {
  return join(workDir, "allowed-hosts.json");
}

export async function keptHosts(file: string, productId: string): Promise<string[]> {
  return (await read(file))[productId] ?? [];
}

export async function keepHost(file: string, productId: string, host: string): Promise<void> {
  const kept = await read(file);
  const hosts = new Set([...(kept[productId] ?? []), host]);
  await writeFile(
    `${file}.new`,
    `${JSON.stringify({ ...kept, [productId]: [...hosts] }, null, 2)}\n`,
  );
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
