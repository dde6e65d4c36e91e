import { existsSync } from "node:fs";
import { join, relative } from "node:path";
import { migrateDatabase } from "../migrate";
import type { ClusterFiles } from "../postgres/cluster";
import { type CopyPlan, makeCopy } from "./copies";
import { copyTree } from "./copy-files";
import { firstRelease, readMadeBy, refuseNewer, thisProgram, writeMadeBy } from "./made-by";

export interface Upgrade {
  /** Makes the copy while Postgres is stopped. */
  beforeStart(files: ClusterFiles): Promise<void>;
  /** Runs the migrations before anything else uses the database. */
  finish(migrationUrl: string): Promise<void>;
}

/** Refuses the folder of a newer program. The returned steps run under the start lock and check it again. */
export async function prepareUpgrade(dataDir: string, say: (line: string) => void): Promise<Upgrade> {
  const program = await thisProgram();
  refuseNewer(dataDir, await readMadeBy(dataDir), program);
  return {
    async beforeStart({ clusterFolder, user, bringToRest }) {
      const isNew = !existsSync(join(clusterFolder, "PG_VERSION"));
      if (isNew) return writeMadeBy(dataDir, program);
      const folder = (await readMadeBy(dataDir)) ?? firstRelease;
      const isBehind = folder.newest_migration < program.newest_migration;
      if (!isBehind || folder.upgrade_begun) return;
      await bringToRest();
      const { version } = folder;
      const { path } = await copyAtRest({ dataDir, clusterFolder, user, version });
      await writeMadeBy(dataDir, { ...folder, upgrade_begun: true });
      say(
        `Upgrading the data folder from ${folder.version} to ${program.version}; the data as they were are kept in ${shortest(path)}`,
      );
    },
    async finish(migrationUrl) {
      await migrateDatabase(migrationUrl);
      const isNoted = JSON.stringify(await readMadeBy(dataDir)) === JSON.stringify(program);
      if (!isNoted) await writeMadeBy(dataDir, program);
    },
  };
}

const kept = 2;

/** Copies the data while nothing writes, exactly as the older program left it, which can open the copy directly. */
export function copyAtRest(rest: Pick<CopyPlan, "dataDir" | "clusterFolder" | "user" | "version" | "at">) {
  return makeCopy({
    ...rest,
    folder: join(rest.dataDir, "copies"),
    keep: kept,
    isPortable: false,
    copyDatabase: (target) =>
      copyTree(rest.clusterFolder, target, { user: rest.user, leavesOut: (path) => path === "postmaster.pid" }),
  });
}

function shortest(path: string): string {
  const near = relative(process.cwd(), path);
  return near.startsWith("..") ? path : near;
}
