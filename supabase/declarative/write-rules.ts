import { readFile, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import manifest from "../../package.json";
import { listMigrations, migrationsFolder } from "../embedded/migrations";
import { projectRoot } from "../embedded/project-root";
import { readRules } from "../embedded/rules";

/** For the Supabase CLI and at a release. Older rules become one line: a database that has them keeps their version. */
async function main(): Promise<void> {
  const { hash, drop, create } = await readRules(manifest.version);
  const older = (await listMigrations()).filter(({ name }) => name === "rules");
  for (const { path } of older) {
    if ((await readFile(path, "utf8")).includes(hash)) {
      return console.log(`${relative(projectRoot, path)} has these rules: there is nothing to write.`);
    }
    await writeFile(path, "-- Rules only: they come from the schemas.\n");
  }
  const version = new Date().toISOString().replace(/\D/g, "").slice(0, 14);
  const path = join(migrationsFolder, `${version}_rules.sql`);
  await writeFile(path, `-- Made by npm run rules from supabase/schemas: change those.\n${drop}\n${create}`);
  console.log(relative(projectRoot, path));
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
