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
  /** Where copies lie; `backups` of the data folder when unset. */
  folder?: string | undefined;
  keep?: number | undefined;
}

/**
 * Copies a data folder while it is in use, or while it is not: then Postgres runs for as long as the copy takes. A copy
 * that does not open is an error, and is gone.
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
