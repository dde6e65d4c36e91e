import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join, relative, resolve } from "node:path";
import pg from "pg";
import { startCluster } from "../postgres/cluster";
import { chooseOsUser } from "../postgres/os-user";
import { reachableClusterFolder } from "../postgres/reachable";
import { loadSecrets } from "../secrets";
import { type Copy, makeCopy } from "./copies";
import { copyRunningDatabase } from "./copy-running";
import { firstRelease, readMadeBy } from "./made-by";
import { DataFolderProblem } from "./problem";

export interface BackUpOptions {
  dataDir: string;
  /** Folder for copies. Default: `backups` in the data folder. */
  folder?: string | undefined;
  keep?: number | undefined;
}

/**
 * Copies a data folder, in use or not; if not, Postgres runs during the copy. If the copy does not open, it is deleted
 * and an error is thrown.
 */
export async function backUp(options: BackUpOptions): Promise<Copy> {
  const dataDir = resolve(options.dataDir);
  const folder = resolve(options.folder ?? join(dataDir, "backups"));
  if (relative(dataDir, folder) === "") {
    throw new DataFolderProblem(`Choose another folder than the data folder itself: ${folder}`);
  }
  if (!existsSync(join(dataDir, "secrets.json"))) {
    throw new DataFolderProblem(
      `There is nothing to back up in ${dataDir}: set DATA_DIR to the data folder of the service.`,
    );
  }
  const { databasePassword: password } = await loadSecrets(dataDir);
  const cluster = await startCluster({ dataDir, password });
  try {
    const user = await chooseOsUser();
    const clusterFolder = await reachableClusterFolder(dataDir, user);
    const { version } = (await readMadeBy(dataDir)) ?? firstRelease;
    const url = cluster.url("supabase_admin", "postgres");
    return await makeCopy({
      dataDir,
      clusterFolder,
      user,
      folder,
      version,
      keep: options.keep,
      isPortable: true,
      copyDatabase: (target) => copyRunningDatabase({ url, clusterFolder, user }, target),
      check: (draft) => countRowsOf(draft, password),
    });
  } finally {
    await cluster.stop();
  }
}

/** Low resource limits, because another Postgres works on the same machine. */
const modest = { shared_buffers: "32MB", autovacuum: "off", max_wal_size: "128MB" };

/**
 * Opens a copy as a start would, which recovers its database to the end of the backup, and reads every row, so that
 * checksums reveal corrupt pages.
 */
async function countRowsOf(copy: string, password: string): Promise<Record<string, number>> {
  const cluster = await startCluster({ dataDir: copy, password, settings: modest });
  try {
    return await countRows(cluster.url("supabase_admin", "postgres"));
  } finally {
    await cluster.stop();
    for (const name of ["users", "postgres.log"]) {
      await rm(join(copy, name), { recursive: true, force: true });
    }
  }
}

async function countRows(url: string): Promise<Record<string, number>> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows: tables } = await client.query<{ name: string }>(
      `select format('%I.%I', schemaname, tablename) as name from pg_tables
       where schemaname not in ('pg_catalog', 'information_schema') order by 1`,
    );
    const counts: Record<string, number> = {};
    for (const { name } of tables) {
      const { rows } = await client.query<{ n: string }>(`select count(*) as n from ${name}`);
      counts[name] = Number(rows[0]?.n);
    }
    return counts;
  } finally {
    await client.end();
  }
}
