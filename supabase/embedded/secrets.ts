import { randomBytes } from "node:crypto";
import { chmod, open, readFile, rename } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";

const secretsSchema = z.object({
  databasePassword: z.string().min(20),
  jwtSecret: z.string().min(32),
  publishableKey: z.string().startsWith("sb_publishable_"),
  secretKey: z.string().startsWith("sb_secret_"),
  sessionSecret: z.string().min(32),
  cronSecret: z.string().min(20),
});
export type EmbeddedSecrets = z.infer<typeof secretsSchema>;

/** Generated at the first start. Only the owner can read the file; a changed mode is restored. */
export async function loadSecrets(dataDir: string): Promise<EmbeddedSecrets> {
  const file = secretsFile(dataDir);
  const text = await readFile(file, "utf8").catch(() => null);
  if (text === null) return writeSecrets(dataDir, makeSecrets());
  await chmod(file, 0o600);
  const parsed = secretsSchema.safeParse(JSON.parse(text));
  if (parsed.success) return parsed.data;
  throw new Error(`${file} is damaged; put back a copy of it, or move ${dataDir} away to begin with an empty database`);
}

export function makeSecrets(): EmbeddedSecrets {
  return {
    databasePassword: random(24),
    jwtSecret: random(48),
    publishableKey: `sb_publishable_${random(24)}`,
    secretKey: `sb_secret_${random(32)}`,
    sessionSecret: random(48),
    cronSecret: random(32),
  };
}

/** Writes the file atomically by rename, so that an interrupted start leaves no partial file. */
export async function writeSecrets(dataDir: string, secrets: EmbeddedSecrets): Promise<EmbeddedSecrets> {
  const file = secretsFile(dataDir);
  const draft = `${file}.${process.pid}.new`;
  const handle = await open(draft, "w", 0o600);
  await handle.writeFile(`${JSON.stringify(secrets, null, 2)}\n`);
  await handle.sync();
  await handle.close();
  await rename(draft, file);
  return secrets;
}

const secretsFile = (dataDir: string) => join(dataDir, "secrets.json");

const random = (bytes: number): string => randomBytes(bytes).toString("base64url");
