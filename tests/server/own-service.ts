import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import pg from "pg";
import { expect, vi } from "vitest";
import { connectDatabase } from "~/db/database.server";
import { urlOf } from "../../supabase/embedded/postgres/cluster";
import { findFreePort } from "../../supabase/embedded/postgres/free-port";
import { projectRoot } from "../../supabase/embedded/project-root";
import { loadSecrets } from "../../supabase/embedded/secrets";
import { isRunning, postmasterOf } from "../embedded/own-stack";
import { atTheEnd } from "../setup/at-the-end";
import { makersOf } from "../setup/world";

/** The program of `npm start` over a data folder, as a process that a test can kill. */
export interface OwnService {
  origin: string;
  port: number;
  process: ChildProcess;
  ended: Promise<unknown>;
  end(signal: NodeJS.Signals): Promise<unknown>;
}

type ServiceOptions = { node?: string; nodeOptions?: string[]; env?: Record<string, string> };

/** Builds what is stale, as `npm start` does, and waits until the service says that it is ready. Stopped after the test file. */
export async function startService(
  dataDir: string,
  { node = process.execPath, nodeOptions = [], env = {} }: ServiceOptions = {},
): Promise<OwnService> {
  const port = await findFreePort();
  const program = join(projectRoot, "app/cli/launch.mjs");
  const child = spawn(node, [...nodeOptions, program, "start"], {
    cwd: projectRoot,
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      ...env,
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      NODE_ENV: "production",
      DATA_DIR: dataDir,
      PORT: String(port),
    },
  });
  const ended = once(child, "exit");
  const end = (signal: NodeJS.Signals) => {
    child.kill(signal);
    return ended;
  };
  atTheEnd(() => end("SIGTERM"));
  let output = "";
  await new Promise<void>((resolve, reject) => {
    const take = (chunk: Buffer) => {
      output += chunk.toString("utf8");
      if (output.includes("Backloom is ready at")) resolve();
    };
    child.stdout.on("data", take);
    child.stderr.on("data", take);
    void ended.then(() => reject(new Error(`The service ended:\n${output}`)));
  });
  return { origin: `http://127.0.0.1:${port}`, port, process: child, ended, end };
}

/** Past the service, straight to the Postgres of its data folder, until the test file is over. */
export async function openOwnDatabase(dataDir: string) {
  const { databasePassword: password } = await loadSecrets(dataDir);
  const pidFile = await readFile(join(dataDir, "postgres/postmaster.pid"), "utf8");
  const port = Number(pidFile.split("\n")[3]);
  const urlFor = (role: string) => urlOf(port, password, role, "postgres");
  const database = connectDatabase({
    // Only functions are called here, and they go to Postgres itself.
    supabaseUrl: "http://127.0.0.1:9",
    publishableKey: "none",
    secretKey: "none",
    databaseUrl: urlFor("authenticator"),
  });
  const sql = new pg.Pool({ connectionString: urlFor("postgres") });
  sql.on("error", () => undefined);
  const actorOf = (user: { id: string }) => ({ database, credential: { user_id: user.id } });
  const store = { database, sql, actorOf };
  let closing: Promise<unknown> | undefined;
  const close = () => {
    closing ??= Promise.all([database.close(), sql.end()]);
    return closing;
  };
  atTheEnd(close);
  return { ...store, ...makersOf(store), close };
}

export async function killService({ process: child, ended }: OwnService): Promise<void> {
  child.kill("SIGKILL");
  await ended;
}

export async function killPostgres(dataDir: string): Promise<void> {
  const pid = await postmasterOf(dataDir);
  process.kill(pid, "SIGKILL");
  await vi.waitFor(() => expect(isRunning(pid)).toBe(false), 60_000);
}
