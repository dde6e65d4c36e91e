import { existsSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { startCluster } from "../postgres/cluster";
import { chooseOsUser } from "../postgres/os-user";
import { reachableClusterFolder } from "../postgres/reachable";
import { loadSecrets } from "../secrets";
import { countRowsOf } from "./check-copy";
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
