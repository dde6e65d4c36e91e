import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { connectDatabase } from "~/db/database.server";
import { startCluster } from "../supabase/embedded/postgres/cluster";
import { loadSecrets } from "../supabase/embedded/secrets";
import { startEmbeddedSupabase } from "../supabase/embedded/start";

export type Installation = Awaited<ReturnType<typeof openInstallation>>;

/** What a data folder holds, new unless named, as `npm start` opens it; connections of both kinds open when they are first used. */
export async function openInstallation(folder?: string) {
  const dataDir = folder ?? (await mkdtemp(join(tmpdir(), "backloom-bench-")));
  const supabase = await startEmbeddedSupabase({ dataDir, upgrade: { say: console.log } });
  const { databasePassword: password, sessionSecret } = await loadSecrets(dataDir);
  const cluster = await startCluster({ dataDir, password });
  // As `npm start` connects to the Postgres that it brings.
  const database = connectDatabase({ ...supabase, connectionKind: "session" });
  const adminUrl = cluster.url("supabase_admin", "postgres");
  const sql = new pg.Pool({ connectionString: adminUrl, max: 10 });
  // Connections that are just being closed hear that Postgres stops.
  sql.on("error", () => undefined);
  const close = async () => {
    await Promise.all([database.close(), sql.end()]);
    await cluster.stop();
    await supabase.stop();
  };
  return {
    dataDir,
    sessionSecret,
    databaseUrl: supabase.databaseUrl,
    adminUrl,
    cluster,
    database,
    sql,
    close,
    /** Closes it, and its folder goes too. */
    async remove() {
      await close();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/** An installation in a folder of its own, which goes with it. */
export async function withInstallation(work: (installation: Installation) => Promise<void>): Promise<void> {
  const installation = await openInstallation();
  await work(installation).finally(() => installation.remove());
}
