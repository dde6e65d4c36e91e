import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { attend, withStartLock } from "./attendance";
import { findBinaries } from "./binaries";
import { findFreePort } from "./free-port";
import { initialise } from "./initialise";
import { clearLeftovers } from "./leftovers";
import { chooseOsUser } from "./os-user";
import { identityOf } from "./process-identity";
import { reachableBinaries, reachableClusterFolder } from "./reachable";
import {
  answers,
  type ServerOptions,
  type ServerProcess,
  spawnServer,
  waitUntilReady,
} from "./server-process";
import { clusterSettings } from "./settings";

export interface Cluster {
  port: number;
  /** The process number of Postgres; another one after it was killed and came back. */
  pid(): number;
  url(role: string, database: string): string;
  stop(): Promise<void>;
}

export interface ClusterOptions {
  dataDir: string;
  password: string;
  port?: number;
  settings?: Record<string, string>;
}

/** Starts Postgres over the data folder, or joins the one that already runs there. */
export async function startCluster(options: ClusterOptions): Promise<Cluster> {
  const { dataDir, password } = options;
  await mkdir(dataDir, { recursive: true });
  const attendance = attend(dataDir);
  try {
    const server = await withStartLock(dataDir, () => startOrJoin(options));
    // A process that ends without stopping properly still leaves nothing running behind.
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
  /** Asks Postgres to stop and does not wait for it. */
  interrupt(): void;
}

async function startOrJoin(options: ClusterOptions): Promise<HeldServer> {
  const user = await chooseOsUser();
  const binaries = await reachableBinaries(await findBinaries(), user);
  const clusterFolder = await reachableClusterFolder(options.dataDir, user);
  const superuserUrl = (port: number) =>
    urlOf(port, options.password, "supabase_admin", "template1");
  // One that was killed a moment ago may still be seen: what it leaves is cleared once it is gone.
  for (let attempt = 0; attempt < 100; attempt++) {
    const running = await clearLeftovers(clusterFolder);
    if (!running) break;
    if (await answers(superuserUrl(running.port))) return joined(running);
    await wait(100);
  }
  await initialise({ initdb: binaries.initdb, clusterFolder, password: options.password, user });
  const port = await findFreePort(options.port);
  const server: ServerOptions = {
    postgres: binaries.postgres,
    clusterFolder,
    port,
    settings: { ...clusterSettings, unix_socket_directories: "", ...options.settings },
    logFile: join(options.dataDir, "postgres.log"),
    user,
  };
  return supervise(server, superuserUrl(port));
}

/** Runs the server and brings it back when it ends without being asked to. */
async function supervise(options: ServerOptions, url: string): Promise<HeldServer> {
  let current: ServerProcess = spawnServer(options);
  let wanted = true;
  await waitUntilReady(url, current, options.logFile);
  const guard = (async () => {
    while (wanted) {
      await current.ended;
      if (!wanted) return;
      await wait(200);
      await clearLeftovers(options.clusterFolder);
      if (wanted) current = spawnServer(options);
    }
  })().catch(() => undefined);
  return {
    port: options.port,
    pid: () => current.pid,
    async release(last) {
      wanted = false;
      if (!last) return;
      await stopServer(current.pid);
      await guard;
    },
    interrupt: () => signal(current.pid, "SIGINT"),
  };
}

function joined(running: { pid: number; port: number }): HeldServer {
  return {
    port: running.port,
    pid: () => running.pid,
    release: async (last) => (last ? stopServer(running.pid) : undefined),
    interrupt: () => signal(running.pid, "SIGINT"),
  };
}

/** A fast shutdown: sessions are ended, everything committed is on disk. Impatient after 20 seconds. */
async function stopServer(pid: number): Promise<void> {
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
