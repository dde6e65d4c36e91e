import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, openSync, readFileSync, statSync, truncateSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import pg from "pg";
import { DataFolderProblem } from "../data-folder/problem";
import { type OsUser, plainEnvironment } from "./os-user";
import { identityOf } from "./process-identity";

export interface ServerProcess {
  pid: number;
  /** Settles when the process has ended, expectedly or not. */
  ended: Promise<void>;
}

export interface ServerOptions {
  postgres: string;
  clusterFolder: string;
  port: number;
  settings: Record<string, string>;
  logFile: string;
  user: OsUser;
}

const largestLog = 10 * 1024 * 1024;

/** Starts Postgres in its own process group, so that Ctrl-C reaches only the app, which then stops Postgres. */
export function spawnServer(options: ServerOptions): ServerProcess {
  trimLog(options.logFile);
  const log = openSync(options.logFile, "a", 0o600);
  const child = spawn(
    options.postgres,
    ["-D", options.clusterFolder, "-p", String(options.port), ...settingArguments(options.settings)],
    {
      ...options.user,
      cwd: options.clusterFolder,
      detached: true,
      stdio: ["ignore", log, log],
      env: plainEnvironment(),
    },
  );
  closeSync(log);
  child.unref();
  if (child.pid === undefined) throw new Error(`${options.postgres} could not be started`);
  return { pid: child.pid, ended: endOf(child) };
}

const lookEvery = 500;

/** Watches a server that another process started, by polling. */
export function watchServer(pid: number): ServerProcess {
  const identity = identityOf(pid);
  const ended = new Promise<void>((resolve) => {
    const look = setInterval(() => {
      if (identity !== null && identityOf(pid) === identity) return;
      clearInterval(look);
      resolve();
    }, lookEvery).unref();
  });
  return { pid, ended };
}

function endOf(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    child.once("exit", () => resolve());
    child.once("error", () => resolve());
  });
}

function trimLog(file: string): void {
  const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  if (size > largestLog) truncateSync(file);
}

/** Waits until the server answers. Recovery after a kill may take a while. */
export async function waitUntilReady(url: string, server: ServerProcess, logFile: string) {
  let ended = false;
  void server.ended.then(() => {
    ended = true;
  });
  const deadline = Date.now() + 120_000;
  while (Date.now() < deadline) {
    if (ended) throw new Error(`Postgres did not start: ${lastLines(logFile)}`);
    if (await answers(url)) return;
    await wait(20);
  }
  throw new Error(`Postgres did not answer within two minutes: ${lastLines(logFile)}`);
}

export async function answers(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5000 });
  client.on("error", () => undefined);
  try {
    await client.connect();
    await client.end();
    return true;
  } catch (error) {
    if (isStarting(error)) return false;
    if (error instanceof pg.DatabaseError && error.code === "28P01") {
      throw new DataFolderProblem(
        'The database has another password than secrets.json: put back the file that belongs to it, or run "backloom admin secrets rotate".',
      );
    }
    throw error;
  }
}

/** Whether to retry (refused, reset, recovery). Only a wrong password (28P01) or missing database (3D000) is final. */
function isStarting(error: unknown): boolean {
  if (!(error instanceof Error) || !("code" in error)) return true;
  return error.code !== "28P01" && error.code !== "3D000";
}

function lastLines(file: string): string {
  try {
    return readFileSync(file, "utf8").trim().split("\n").slice(-5).join(" | ");
  } catch {
    return "its log is empty";
  }
}

/** Settings of the embedded Postgres. Durability is never relaxed outside tests. */
export const clusterSettings: Record<string, string> = {
  listen_addresses: "127.0.0.1",
  wal_level: "logical",
  synchronous_commit: "on",
  max_connections: "100",
  max_wal_senders: "10",
  max_replication_slots: "10",
  max_slot_wal_keep_size: "256MB",
  wal_sender_timeout: "30s",
  search_path: '"$user", public, extensions',
  timezone: "UTC",
  log_timezone: "UTC",
  log_min_messages: "warning",
  log_min_error_statement: "panic",
  password_encryption: "scram-sha-256",
  jit: "off",
};

export function settingArguments(settings: Record<string, string>): string[] {
  return Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
}
