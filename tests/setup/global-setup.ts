import type { TestProject } from "vitest/node";
import { makeDataDir } from "./temporary-data-dir";
import { startTestCluster } from "./test-cluster";

declare module "vitest" {
  interface ProvidedContext {
    cluster: { port: number; secrets: string };
    /** A folder that is gone when the run is over. */
    runFolder: string;
  }
}

/** One Postgres for the whole run, with a migrated template that every test file copies. */
export default async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  // Vitest asks again for each project; what the root provides is theirs too.
  if (!project.isRootProject()) return;
  const dataDir = await makeDataDir();
  const cluster = await startTestCluster(dataDir.path);
  project.provide("cluster", { port: cluster.port, secrets: JSON.stringify(cluster.secrets) });
  project.provide("runFolder", dataDir.path);
  return async () => {
    await cluster.stop();
    await dataDir.remove();
  };
}
