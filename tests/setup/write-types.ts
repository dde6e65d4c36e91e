import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { projectRoot } from "../../supabase/embedded/project-root";
import { generateTypes } from "./generate-types";
import { startTestCluster, templateName } from "./test-cluster";

/** `npm run types`: writes app/db/types.ts from a database that has just been migrated. */
async function main(): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), "backloom-types-"));
  const cluster = await startTestCluster(dataDir);
  try {
    const types = await generateTypes(cluster.url("postgres", templateName));
    await writeFile(join(projectRoot, "app/db/types.ts"), types);
  } finally {
    await cluster.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
