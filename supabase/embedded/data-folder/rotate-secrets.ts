import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { text } from "node:stream/consumers";
import { loginRoles } from "../apply-shims";
import { isAttended, withStartLock } from "../postgres/attendance";
import { findBinaries } from "../postgres/binaries";
import { stopServer } from "../postgres/cluster";
import { clearLeftovers } from "../postgres/leftovers";
import { chooseOsUser, plainEnvironment } from "../postgres/os-user";
import { reachableBinaries, reachableClusterFolder } from "../postgres/reachable";
import { settingArguments } from "../postgres/server-process";
import { loadSecrets, makeSecrets, writeSecrets } from "../secrets";
import { DataFolderProblem } from "./problem";
import { refuseUnfinishedRestore } from "./restore";

/** Of a stopped installation, file and database. Cut short, run it again: it needs no password to set one. */
export async function rotateSecrets(folder: string, endSessions: boolean): Promise<void> {
  const dataDir = resolve(folder);
  if (!existsSync(join(dataDir, "secrets.json"))) {
    throw new DataFolderProblem(`There are no secrets in ${dataDir}: set DATA_DIR to the data folder of the service.`);
  }
  refuseUnfinishedRestore(dataDir);
  await withStartLock(dataDir, async () => {
    if (isAttended(dataDir)) {
      throw new DataFolderProblem(`${dataDir} is in use: stop each process of the service, then run this again.`);
    }
    const { sessionSecret } = await loadSecrets(dataDir);
    const made = makeSecrets();
    await setPassword(dataDir, made.databasePassword);
    await writeSecrets(dataDir, endSessions ? made : { ...made, sessionSecret });
  });
}

/** By way of Postgres for one user, which listens nowhere and asks for no password. */
async function setPassword(dataDir: string, password: string): Promise<void> {
  const user = await chooseOsUser();
  const clusterFolder = await reachableClusterFolder(dataDir, user);
  const { postgres } = await reachableBinaries(await findBinaries(), user);
  const running = await clearLeftovers(clusterFolder);
  if (running) {
    await stopServer(running.pid);
    await clearLeftovers(clusterFolder);
  }
  const settings = { exit_on_error: "on", log_min_error_statement: "panic" };
  const child = spawn(postgres, ["--single", "-D", clusterFolder, ...settingArguments(settings), "template1"], {
    ...user,
    cwd: clusterFolder,
    stdio: ["pipe", "ignore", "pipe"],
    env: plainEnvironment(),
  });
  const said = text(child.stderr);
  // A line is a statement. Roles that are not made yet get the password when they are made.
  child.stdin.end(
    `do $$ declare r text; begin for r in select rolname from pg_authid where rolname = any ('{supabase_admin,${loginRoles}}') loop execute format('alter role %I password %L', r, '${password}'); end loop; end $$\n`,
  );
  const [code] = await once(child, "exit");
  if (code !== 0) throw new DataFolderProblem(`The password was not changed: ${await said}`);
}
