import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { projectRoot } from "../../supabase/embedded/project-root";
import { generateTypes } from "./generate-types";
import { makeDataDir } from "./temporary-data-dir";
import { startTestCluster, templateName } from "./test-cluster";

/** `npm run types`: writes app/db/types.ts from a database that has just been migrated. */
async function main(): Promise<void> {
  const dataDir = await makeDataDir();
  const cluster = await startTestCluster(dataDir.path);
  try {
    const types = await generateTypes(cluster.url("postgres", templateName));
    await writeFile(join(projectRoot, "app/db/types.ts"), types);
  } finally {
    await cluster.stop();
    await dataDir.remove();
  }
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
