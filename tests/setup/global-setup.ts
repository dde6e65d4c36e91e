import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { startTestCluster } from "./test-cluster";

declare module "vitest" {
  interface ProvidedContext {
    cluster: { port: number; secrets: string };
  }
}

/** One Postgres for the whole run, with a migrated template that every test file copies. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const dataDir = await mkdtemp(join(tmpdir(), "backloom-test-"));
  const cluster = await startTestCluster(dataDir);
  project.provide("cluster", { port: cluster.port, secrets: JSON.stringify(cluster.secrets) });
  return async () => {
    await cluster.stop();
    await rm(dataDir, { recursive: true, force: true });
  };
}
