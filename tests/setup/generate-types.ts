import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { projectRoot } from "../../supabase/embedded/project-root";
import { runSupabaseCli } from "../../supabase/embedded/supabase-cli";

/** The `Database` types of what the app calls and reads, as `supabase gen types` writes them, formatted like our sources. */
export async function generateTypes(databaseUrl: string): Promise<string> {
  const source = await runSupabaseCli([
    "gen",
    "types",
    "typescript",
    `--remote=${databaseUrl}`,
    "--schema",
    "public,operations",
  ]);
  const biome = join(projectRoot, "node_modules/@biomejs/biome/bin/biome");
  const options = { cwd: projectRoot, input: source, encoding: "utf8", maxBuffer: 32 * 1024 * 1024 } as const;
  const result = spawnSync(process.execPath, [biome, "format", "--stdin-file-path=database-types.ts"], options);
  if (result.status !== 0) throw new Error(`Biome could not format the types: ${result.stderr}`);
  return result.stdout;
}
