import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { chown, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { applyShims } from "../../supabase/embedded/apply-shims";
import { migrateDatabase } from "../../supabase/embedded/migrate";
import { stopServer, urlOf } from "../../supabase/embedded/postgres/cluster";
import { findFreePort } from "../../supabase/embedded/postgres/free-port";
import { initialize } from "../../supabase/embedded/postgres/initialize";
import { chooseOsUser } from "../../supabase/embedded/postgres/os-user";
import { clusterSettings, spawnServer, waitUntilReady } from "../../supabase/embedded/postgres/server-process";
import { recreateDatabase } from "./test-cluster";

const postgres15 = "/usr/lib/postgresql/15";

/** Whether Debian's packages are here: `apt-get install postgresql-15 postgresql-15-cron`. */
export const hasPgCron = existsSync(join(postgres15, "lib/pg_cron.so"));

/** A Postgres 15 with pg_cron, our migrations in its database `postgres`. */
export async function startPgCron() {
  const folder = await mkdtemp(join(tmpdir(), "backloom-cron-"));
  const user = await chooseOsUser();
  if (user) await chown(folder, user.uid, user.gid);
  const password = randomBytes(12).toString("hex");
  const clusterFolder = join(folder, "cluster");
  await initialize({ initdb: join(postgres15, "bin/initdb"), clusterFolder, password, user });
  const port = await findFreePort();
  const logFile = join(folder, "postgres.log");
  const settings = {
    ...clusterSettings,
    unix_socket_directories: "",
    shared_preload_libraries: "pg_cron",
    "cron.database_name": "project",
    "cron.use_background_workers": "on",
    "cron.timezone": "GMT",
    fsync: "off",
  };
  const postgres = join(postgres15, "bin/postgres");
  const server = spawnServer({ postgres, clusterFolder, port, settings, logFile, user });
  const url = (role: string, database = "project") => urlOf(port, password, role, database);
  await waitUntilReady(url("supabase_admin", "template1"), server, logFile);
  await recreateDatabase(url("supabase_admin", "template1"), "project");
  await applyShims(url("supabase_admin"), password);
  await migrateDatabase(url("postgres"));
  return {
    url,
    async stop() {
      await stopServer(server.pid);
      await rm(folder, { recursive: true, force: true });
    },
  };
}
