import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chownSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import net from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { findFreePort } from "../../supabase/embedded/postgres/free-port";
import { chooseOsUser } from "../../supabase/embedded/postgres/os-user";

/** Whether Debian's program is here: `apt-get install pgbouncer`. */
export const hasPgbouncer = findProgram() !== undefined;

export interface Pgbouncer {
  port: number;
  /** The same address, through the pooler. */
  through(databaseUrl: string): string;
  stop(): Promise<void>;
}

export interface PgbouncerOptions {
  /** Where the pooler finds Postgres; one of its addresses, with the password that all roles have. */
  databaseUrl: string;
  mode?: "transaction" | "session";
  /** Connections to Postgres for each user. */
  size?: number;
  /** Where it listens; a free port if not set. */
  port?: number;
  /** After so many seconds without a free connection a client is refused. */
  patience?: number;
}

/** A PgBouncer that knows nothing of prepared statements and hands its connections from client to client. */
export async function startPgbouncer(options: PgbouncerOptions): Promise<Pgbouncer> {
  const target = new URL(options.databaseUrl);
  const port = options.port ?? (await findFreePort());
  const folder = mkdtempSync(join(tmpdir(), "backloom-pooler-"));
  const users = join(folder, "users.txt");
  const settings = join(folder, "pgbouncer.ini");
  const password = decodeURIComponent(target.password);
  const roles = ["authenticator", "postgres", "service_role"];
  writeFileSync(users, roles.map((role) => `"${role}" "${password}"\n`).join(""));
  writeFileSync(settings, settingsText({ ...options, target, port, users }));
  // It refuses to run as root, as Postgres does.
  const user = await chooseOsUser();
  if (user) for (const path of [folder, users, settings]) chownSync(path, user.uid, user.gid);
  const child = spawn(findProgram() ?? "pgbouncer", ["-q", settings], { stdio: "ignore", ...(user ?? {}) });
  const ended = once(child, "exit");
  while (!(await isOpen(port))) await pause(20);
  return {
    port,
    through: (databaseUrl) => Object.assign(new URL(databaseUrl), { port: String(port) }).href,
    async stop() {
      child.kill("SIGKILL");
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function settingsText(options: PgbouncerOptions & { target: URL; port: number; users: string }): string {
  const { target, port, users, mode = "transaction", size = 3, patience = 30 } = options;
  return `[databases]
* = host=${target.hostname} port=${target.port}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = scram-sha-256
auth_file = ${users}
pool_mode = ${mode}
default_pool_size = ${size}
query_wait_timeout = ${patience}
max_client_conn = 200
`;
}

function isOpen(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = net.connect(port, "127.0.0.1", () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", () => resolve(false));
  });
}

function findProgram(): string | undefined {
  for (const program of ["pgbouncer", "/usr/sbin/pgbouncer"]) {
    try {
      execFileSync(program, ["--version"], { stdio: "ignore" });
      return program;
    } catch {
      // Not this one.
    }
  }
  return undefined;
}
