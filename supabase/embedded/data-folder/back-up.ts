import { existsSync } from "node:fs";
import { open, readdir, rm } from "node:fs/promises";
import { join, relative, resolve } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import pg from "pg";
import { startCluster } from "../postgres/cluster";
import { chooseOsUser, type OsUser } from "../postgres/os-user";
import { reachableClusterFolder } from "../postgres/reachable";
import { loadSecrets } from "../secrets";
import { type Copy, makeCopy } from "./copies";
import { copyOne, copyTree, makeFolder } from "./copy-files";
import { firstRelease, readMadeBy } from "./made-by";
import { DataFolderProblem } from "./problem";

interface BackUpOptions {
  dataDir: string;
  /** Folder for copies. Default: `backups` in the data folder. */
  folder?: string | undefined;
  keep?: number | undefined;
}

/** In use or not; if not, Postgres runs during the copy. A copy that does not open is deleted, with an error. */
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

/** As a start would, which recovers to the end of the backup; every row is read, so checksums reveal corrupt pages. */
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

type RunningDatabase = { url: string; clusterFolder: string; user: OsUser };

/** Files useless or harmful in a copy: those of the running server, and those Postgres recreates. */
const notCopied = [
  /^(postmaster\.(pid|opts)|backup_label(\.old)?|tablespace_map(\.old)?)$/,
  /^(pg_wal|pg_replslot|pg_dynshmem|pg_notify|pg_serial|pg_snapshots|pg_stat_tmp|pg_subtrans)\//,
  /(^|\/)(pgsql_tmp[^/]*|pg_internal\.init[^/]*)$/,
  // Copied last, so that it covers everything else.
  /^global\/pg_control$/,
];

const slot = "backloom_backup";

/** Files copied between Postgres' start and end marks plus the WAL give the end's database, at the first start. */
async function copyRunningDatabase(from: RunningDatabase, target: string): Promise<void> {
  const client = new pg.Client({ connectionString: from.url });
  client.on("error", () => undefined);
  await client.connect();
  try {
    await takeTurn(client);
    // A temporary slot: it retains WAL and disappears with this session, however the process ends.
    await client.query("select pg_create_physical_replication_slot($1, true, true)", [slot]);
    const first = await walFile(client, "pg_backup_start('backloom', fast => true)");
    const wal = followWal(client, from, join(target, "pg_wal"), first);
    try {
      await copyTree(from.clusterFolder, target, {
        user: from.user,
        leavesOut: (path) => notCopied.some((pattern) => pattern.test(path)),
      });
    } finally {
      await wal.stop();
    }
    await finish(client, from, target, wal);
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** Allows only one backup at a time, because the next would delete this one's unfinished copy. */
async function takeTurn(client: pg.Client): Promise<void> {
  const { rows } = await client.query("select pg_try_advisory_lock(hashtextextended('backloom:backup', 0)) as taken");
  if (rows[0]?.taken === true) return;
  throw new DataFolderProblem("Another backup of this database is under way: wait for its end.");
}

async function finish(
  client: pg.Client,
  { clusterFolder, user }: RunningDatabase,
  target: string,
  wal: WalCopy,
): Promise<void> {
  const { rows } = await client.query<{ last: string; label: string; spaces: string }>(
    `select pg_walfile_name(lsn) as last, labelfile as label, spcmapfile as spaces
     from pg_backup_stop(wait_for_archive => false)`,
  );
  const [end] = rows;
  if (!end) throw new Error("pg_backup_stop answered nothing");
  await wal.copyUpTo(end.last, true);
  const control = "global/pg_control";
  await copyOne(join(clusterFolder, control), join(target, control), user);
  await writeLabel(join(target, "backup_label"), end.label, user);
}

async function writeLabel(file: string, text: string, user: OsUser): Promise<void> {
  const handle = await open(file, "w", 0o600);
  await handle.writeFile(text);
  if (user) await handle.chown(user.uid, user.gid);
  await handle.close();
}

interface WalCopy {
  /** Copies the missing WAL files before this one, and with `itself` this one too. */
  copyUpTo(name: string, itself: boolean): Promise<void>;
  stop(): Promise<void>;
}

const segment = /^[0-9A-F]{24}$/;

/** In parallel with the files: a slot retains a limited amount, and a large, busy database would need more. */
function followWal(
  client: pg.Client,
  { clusterFolder, user }: RunningDatabase,
  target: string,
  first: string,
): WalCopy {
  const copied = new Set<string>();
  let isStopped = false;
  const copyUpTo = async (name: string, itself: boolean) => {
    await makeFolder(target, user);
    const names = await readdir(join(clusterFolder, "pg_wal"));
    const wanted = names.filter((one) => segment.test(one) && one >= first && (itself ? one <= name : one < name));
    for (const one of wanted) {
      if (copied.has(one)) continue;
      await copyOne(join(clusterFolder, "pg_wal", one), join(target, one), user);
      copied.add(one);
    }
  };
  const follow = async () => {
    while (!isStopped) {
      const { rows } = await client.query<{ at: string; name: string }>(
        "select at, pg_walfile_name(at) as name from pg_current_wal_flush_lsn() as at",
      );
      const [{ at = "", name = "" } = {}] = rows;
      await copyUpTo(name, false);
      await client.query("select pg_replication_slot_advance($1, $2)", [slot, at]);
      for (let waited = 0; waited < 1_000 && !isStopped; waited += 50) await wait(50);
    }
  };
  const following = follow();
  following.catch(() => undefined);
  return {
    copyUpTo,
    async stop() {
      isStopped = true;
      await following;
    },
  };
}

async function walFile(client: pg.Client, lsn: string): Promise<string> {
  const { rows } = await client.query<{ name: string }>(`select pg_walfile_name(${lsn}) as name`);
  return rows[0]?.name ?? "";
}
