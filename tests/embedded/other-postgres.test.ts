import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { z } from "zod";
import { applyShims } from "../../supabase/embedded/apply-shims";
import { migrateDatabase } from "../../supabase/embedded/migrate";
import { urlOf } from "../../supabase/embedded/postgres/cluster";
import { findFreePort } from "../../supabase/embedded/postgres/free-port";
import { initialize } from "../../supabase/embedded/postgres/initialize";
import { chooseOsUser } from "../../supabase/embedded/postgres/os-user";
import { reachableClusterFolder } from "../../supabase/embedded/postgres/reachable";
import { clusterSettings, spawnServer, waitUntilReady } from "../../supabase/embedded/postgres/server-process";
import { runSupabaseCli } from "../../supabase/embedded/supabase-cli";
import { makeDataDir } from "../setup/temporary-data-dir";
import { ask } from "./own-stack";

const debian = "/usr/lib/postgresql";
const versions = existsSync(debian)
  ? readdirSync(debian).filter((version) => existsSync(join(debian, version, "bin/postgres")))
  : [];
const lintSchema = z.array(
  z.object({
    function: z.string(),
    issues: z.array(
      z.object({
        message: z.string(),
        sqlState: z.string().optional(),
        statement: z.object({ text: z.string() }).optional(),
      }),
    ),
  }),
);

const password = "only-for-this-test";

/** Other versions of PostgreSQL, where Debian has installed some: hosted projects run 15 as well. */
describe.skipIf(versions.length === 0).each(versions)("PostgreSQL %s", (version) => {
  const hasLint = existsSync(`/usr/share/postgresql/${version}/extension/plpgsql_check.control`);

  it("Another PostgreSQL takes the same migrations, and its linter, if installed, finds no error", async () => {
    const urlFor = await startOther(join(debian, version, "bin"));
    expect((await migrateDatabase(urlFor("postgres"))).applied).toBeGreaterThan(0);
    if (!hasLint) return;
    await ask(urlFor("supabase_admin"), "create extension plpgsql_check with schema extensions");
    expect(await lintErrors(urlFor("postgres"))).toEqual([]);
  });
});

/**
 * What `supabase db lint` calls an error, without refusals that the linter provokes (PTxyz) and
 * without dynamic statements about what only hosted projects have.
 */
async function lintErrors(url: string): Promise<string[]> {
  const output = await runSupabaseCli([
    "db",
    "lint",
    `--remote=${url}`,
    "--schema=public,private",
    "--level=error",
    "--fail-on=none",
  ]);
  return lintSchema
    .parse(output.trim() === "" ? [] : JSON.parse(output))
    .flatMap(({ function: name, issues }) =>
      issues
        .filter((issue) => !issue.sqlState?.startsWith("PT") && issue.statement?.text !== "EXECUTE")
        .map((issue) => `${name}: ${issue.message}`),
    );
}

async function startOther(bin: string): Promise<(role: string) => string> {
  const dataDir = await makeDataDir();
  onTestFinished(dataDir.remove);
  const user = await chooseOsUser();
  const clusterFolder = await reachableClusterFolder(dataDir.path, user);
  await initialize({ initdb: join(bin, "initdb"), clusterFolder, password, user });
  const port = await findFreePort();
  const logFile = join(dataDir.path, "postgres.log");
  const settings = { ...clusterSettings, unix_socket_directories: "" };
  const server = spawnServer({ postgres: join(bin, "postgres"), clusterFolder, port, settings, logFile, user });
  onTestFinished(async () => {
    process.kill(server.pid, "SIGINT");
    await server.ended;
  });
  await waitUntilReady(urlOf(port, password, "supabase_admin", "template1"), server, logFile);
  await applyShims(urlOf(port, password, "supabase_admin", "postgres"), password);
  return (role) => urlOf(port, password, role, "postgres");
}
