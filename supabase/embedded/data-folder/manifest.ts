import { open, readFile } from "node:fs/promises";
import { isAbsolute, join } from "node:path";
import { z } from "zod";
import { DataFolderProblem } from "./problem";

/** Only complete copies have a manifest. */
const manifestName = "backup.json";

const inside = z
  .string()
  .min(1)
  .refine((path) => !isAbsolute(path) && !path.split(/[\\/]/).includes(".."));

const manifestSchema = z.object({
  begun_at: z.string(),
  finished_at: z.string(),
  /** Row count of each table, if the copy was opened to count them. */
  rows: z.record(z.string(), z.number()).optional(),
  folders: z.array(inside),
  files: z.array(z.object({ path: inside, size: z.number(), sha256: z.string() })),
});
export type Manifest = z.infer<typeof manifestSchema>;

export async function writeManifest(copy: string, manifest: Manifest): Promise<void> {
  const handle = await open(join(copy, manifestName), "w", 0o600);
  await handle.writeFile(`${JSON.stringify(manifest)}\n`);
  await handle.sync();
  await handle.close();
}

export async function readManifest(copy: string): Promise<Manifest> {
  const text = await readFile(join(copy, manifestName), "utf8").catch(() => null);
  if (text === null) {
    throw new DataFolderProblem(
      `${copy} is not a whole copy: it has no ${manifestName}, which a backup writes last. Choose another copy.`,
    );
  }
  const parsed = manifestSchema.safeParse(readJson(text));
  if (parsed.success) return parsed.data;
  throw new DataFolderProblem(`${join(copy, manifestName)} is damaged: choose another copy.`);
}

/** What a file of this folder says; null if it is damaged. */
export function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
