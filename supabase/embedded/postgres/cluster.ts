import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { DataFolderProblem } from "../data-folder/problem";
import { type Attendance, attend, withStartLock } from "./attendance";
import { findBinaries } from "./binaries";
import { findFreePort } from "./free-port";
import { initialize } from "./initialize";
import { clearLeftovers } from "./leftovers";
import { chooseOsUser, type OsUser } from "./os-user";
import { identityOf } from "./process-identity";
import { reachableBinaries, reachableClusterFolder } from "./reachable";
import {
  answers,
  clusterSettings,
  type ServerOptions,
  type ServerProcess,
  spawnServer,
  waitUntilReady,
  watchServer,
} from "./server-process";

export interface Cluster {
  port: number;
  /** Process id of Postgres. Changes if Postgres was killed and restarted. */
  pid(): number;
  url(role: string, database: string): string;
  stop(): Promise<void>;
}

export interface ClusterOptions {
  dataDir: string;
  password: string;
  settings?: Record<string, string>;
  /** Called with the files before Postgres starts. */
  beforeStart?: (files: ClusterFiles) => Promise<void>;
  /** Called before anything else uses the database. Other processes that start it wait. */
  beforeUse?: (cluster: Pick<Cluster, "url">) => Promise<void>;
}

export interface ClusterFiles {
  clusterFolder: string;
  user: OsUser;
  /** Stops a Postgres that outlived its program. Throws if another process uses it. */
  bringToRest(): Promise<void>;
}

/** Starts Postgres on the data folder, or joins the one already running there. */
export async function startCluster(options: ClusterOptions): Promise<Cluster> {
  const { dataDir, password } = options;
  await mkdir(dataDir, { recursive: true });
  const attendance = attend(dataDir);
  try {
    const server = await withStartLock(dataDir, () => startReady(options, attendance));
    // Even a process that exits without a proper stop leaves no Postgres running.
    const onExit = () => {
      if (attendance.leave()) server.interrupt();
    };
    process.once("exit", onExit);
    return {
      port: server.port,
      pid: server.pid,
      url: (role, database) => urlOf(server.port, password, role, database),
      stop: () =>
        withStartLock(dataDir, async () => {
          process.off("exit", onExit);
          await server.release(attendance.leave());
        }),
    };
  } catch (error) {
    attendance.leave();
    throw error;
  }
}

export function urlOf(port: number, password: string, role: string, database: string): string {
  return `postgresql://${role}:${encodeURIComponent(password)}@127.0.0.1:${port}/${database}?sslmode=disable`;
}

interface HeldServer {
  port: number;
  pid(): number;
  release(last: boolean): Promise<void>;
  /** Asks Postgres to stop without waiting for it. */
  interrupt(): void;
}

async function startReady(options: ClusterOptions, attendance: Attendance): Promise<HeldServer> {
  const server = await startOrJoin(options, attendance);
  try {
    await options.beforeUse?.({ url: (role, database) => urlOf(server.port, options.password, role, database) });
    return server;
  } catch (error) {
    await server.release(attendance.leave());
    throw error;
  }
}

async function startOrJoin(options: ClusterOptions, attendance: Attendance): Promise<HeldServer> {
  const user = await chooseOsUser();
  const binaries = await reachableBinaries(await findBinaries(), user);
  const clusterFolder = await reachableClusterFolder(options.dataDir, user);
  const superuserUrl = (port: number) => urlOf(port, options.password, "supabase_admin", "template1");
  const serverAt = (port: number): ServerOptions => ({
    postgres: binaries.postgres,
    clusterFolder,
    port,
    settings: { ...clusterSettings, unix_socket_directories: "", ...options.settings },
    logFile: join(options.dataDir, "postgres.log"),
    user,
  });
  await options.beforeStart?.({ clusterFolder, user, bringToRest: () => bringToRest(clusterFolder, attendance) });
  // A server killed a moment ago may still be visible. Its leftovers are cleared once it is gone.
  for (let attempt = 0; attempt < 100; attempt++) {
    const running = await clearLeftovers(clusterFolder);
    if (!running) break;
    const url = superuserUrl(running.port);
    if (await answers(url)) return supervise(options.dataDir, serverAt(running.port), url, watchServer(running.pid));
    await wait(100);
  }
  await initialize({ initdb: binaries.initdb, clusterFolder, password: options.password, user });
  const port = await findFreePort();
  const server = serverAt(port);
  const first = spawnServer(server);
  await waitUntilReady(superuserUrl(port), first, server.logFile);
  return supervise(options.dataDir, server, superuserUrl(port), first);
}

/** Stops a server that outlived its program. Throws if another process uses it. */
async function bringToRest(clusterFolder: string, attendance: Attendance): Promise<void> {
  const running = await clearLeftovers(clusterFolder);
  if (!running) return;
  if (attendance.hasCompany()) {
    throw new DataFolderProblem(
      "Another version of Backloom uses the data folder right now: stop it, then start this one again.",
    );
  }
  await stopServer(running.pid);
  await clearLeftovers(clusterFolder);
}

/** Every process that uses the server does so: under the start lock, the first restarts it and the others find it. */
function supervise(dataDir: string, options: ServerOptions, url: string, first: ServerProcess): HeldServer {
  let current = first;
  let wanted = true;
  const bringBack = async () => {
    if (!wanted) return;
    const running = await clearLeftovers(options.clusterFolder);
    current = running ? watchServer(running.pid) : spawnServer(options);
    await waitUntilReady(url, current, options.logFile);
  };
  const guard = async () => {
    while (wanted) {
      await current.ended;
      if (!wanted) return;
      await wait(200);
      await withStartLock(dataDir, bringBack).catch(() => undefined);
    }
  };
  void guard();
  return {
    port: options.port,
    pid: () => current.pid,
    async release(last) {
      wanted = false;
      if (!last) return;
      // Another process may have restarted it a moment ago.
      const running = await clearLeftovers(options.clusterFolder);
      await stopServer(running?.pid ?? current.pid);
    },
    interrupt: () => signal(current.pid, "SIGINT"),
  };
}

/** Fast shutdown: ends sessions; everything committed is on disk. Forces it after 20 seconds. */
export async function stopServer(pid: number): Promise<void> {
  const identity = identityOf(pid);
  const gone = () => identity === null || identityOf(pid) !== identity;
  signal(pid, "SIGINT");
  for (let waited = 0; waited < 20_000; waited += 25) {
    if (gone()) return;
    await wait(25);
  }
  signal(pid, "SIGQUIT");
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It has ended by itself.
  }
}
