import { readFileSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { startEmbeddedSupabase } from "../../supabase/embedded/start";

/** A process with a stack of its own, for tests that kill it: prints the number of its Postgres. */
const [dataDir = "", end] = process.argv.slice(2);
const stack = await startEmbeddedSupabase({ dataDir });
const client = new pg.Client({ connectionString: stack.migrationUrl });
await client.connect();
await client.query("create table if not exists kept as select 7 as n");
await client.end();
process.stdout.write(readFileSync(join(dataDir, "postgres/postmaster.pid"), "utf8").split("\n")[0] ?? "");
if (end === "exit") process.exit(0);
