import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import pg from "pg";
import { connectDatabase, type Database } from "~/db/database.server";
import { startCluster } from "../../supabase/embedded/postgres/cluster";
import { loadSecrets } from "../../supabase/embedded/secrets";
import { startEmbeddedSupabase } from "../../supabase/embedded/start";
import { gitPaths } from "../../worker/git/git";
import { readHistory, saysSomething } from "../../worker/git/known-changes";
import { atMost } from "../at-most";
import { measure } from "./measure";
import { simulate } from "./simulate";

/** How good forecasts of files are in histories of repositories: this one's, or those of the folders that are named. */
async function main(dataDir: string): Promise<void> {
  const supabase = await startEmbeddedSupabase({ dataDir, upgrade: { say: console.log } });
  const { databasePassword: password } = await loadSecrets(dataDir);
  const cluster = await startCluster({ dataDir, password });
  const database: Database = connectDatabase({ ...supabase, connectionKind: "session" });
  const sql = new pg.Pool({ connectionString: cluster.url("supabase_admin", "postgres"), max: 4 });
  sql.on("error", () => undefined);
  try {
    const given = process.argv.slice(2);
    const folders = given.length > 0 ? given : [join(import.meta.dirname, "../..")];
    for (const folder of folders.map((one) => resolve(one))) {
      const name = basename(folder) === "repo" ? basename(dirname(folder)) : basename(folder);
      const changes = (await readHistory(folder, "HEAD", 4_000)).flatMap((change) => saysSomething(change)).reverse();
      const files = await gitPaths(folder, "ls-tree", "-r", "--name-only", "HEAD");
      console.log(`\n${name}: ${changes.length} changes, ${files.length} files`);
      await measure(sql, database, { folder, changes, count: atMost(400) });
      for (const workers of [3, 6]) await simulate(sql, database, { folder, changes, tasks: atMost(200), workers });
    }
  } finally {
    await sql.end();
    await database.close();
    await cluster.stop();
    await supabase.stop();
  }
}

const dataDir = await mkdtemp(join(tmpdir(), "backloom-bench-forecast-"));
await main(dataDir).finally(() => rm(dataDir, { recursive: true, force: true }));
