import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { createHmac } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { portOf } from "../../setup/port-of";

/** The program of a real homeserver, where it is installed. */
export const synapseProgram = process.env.SYNAPSE_PROGRAM ?? programOnPath();

function programOnPath(): string | undefined {
  const found = spawnSync("which", ["synapse_homeserver"], { encoding: "utf8" });
  return found.status === 0 ? found.stdout.trim() : undefined;
}

export interface MatrixAccount {
  id: string;
  token: string;
  /** A request of the client API, below `/_matrix/client/v3`. */
  ask(method: string, path: string, body?: object): Promise<Record<string, unknown>>;
}

export interface Synapse {
  api: string;
  register(name: string): Promise<MatrixAccount>;
  stop(): Promise<void>;
}

const answer = z.record(z.string(), z.unknown());
const secret = "a secret of the tests alone";

/** Starts Synapse in a folder of its own, as its manual describes, with its limits as they are by default. */
export async function startSynapse(program: string): Promise<Synapse> {
  const folder = mkdtempSync(join(tmpdir(), "backloom-synapse-"));
  const free = createServer();
  const port = await portOf(free);
  await once(free.close(), "close");
  const config = join(folder, "homeserver.yaml");
  const settings = {
    server_name: "localhost",
    report_stats: false,
    pid_file: join(folder, "pid"),
    signing_key_path: join(folder, "signing.key"),
    media_store_path: join(folder, "media"),
    macaroon_secret_key: secret,
    registration_shared_secret: secret,
    trusted_key_servers: [],
    database: { name: "sqlite3", args: { database: join(folder, "homeserver.db") } },
    listeners: [{ port, tls: false, type: "http", bind_addresses: ["127.0.0.1"], resources: [{ names: ["client"] }] }],
  };
  // JSON is YAML, too.
  writeFileSync(config, JSON.stringify(settings));
  execFileSync(program, ["-c", config, "--generate-keys"], { cwd: folder, stdio: "ignore" });
  const running = spawn(program, ["-c", config], { cwd: folder, stdio: "ignore" });
  const origin = `http://127.0.0.1:${port}`;
  const ask = async (method: string, path: string, body?: object, token?: string) => {
    const headers = { "Content-Type": "application/json", ...(token ? { Authorization: `Bearer ${token}` } : {}) };
    const response = await fetch(`${origin}${path}`, { method, headers, body: body && JSON.stringify(body) });
    return answer.parse(await response.json());
  };
  const stop = async () => {
    await ended(running);
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    await answers(`${origin}/_matrix/client/versions`, running);
  } catch (error) {
    await stop();
    throw error;
  }

  return {
    api: origin,
    async register(username) {
      const path = "/_synapse/admin/v1/register";
      const { nonce } = await ask("GET", path);
      const password = "a password of the tests";
      const mac = createHmac("sha1", secret).update([nonce, username, password, "notadmin"].join("\0")).digest("hex");
      const made = await ask("POST", path, { nonce, username, password, mac, admin: false });
      const { user_id: id, access_token: token } = z
        .object({ user_id: z.string(), access_token: z.string() })
        .parse(made);
      return { id, token, ask: (method, of, body) => ask(method, `/_matrix/client/v3${of}`, body, token) };
    },
    stop,
  };
}

async function answers(address: string, running: ChildProcess): Promise<void> {
  while (running.exitCode === null) {
    const isThere = await fetch(address).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isThere) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`Synapse ended with ${running.exitCode} before it answered.`);
}

async function ended(running: ChildProcess): Promise<void> {
  if (running.exitCode !== null || running.signalCode !== null) return;
  running.kill("SIGTERM");
  await once(running, "exit");
}
