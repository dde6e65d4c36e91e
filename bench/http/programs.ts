import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { findFreePort } from "../../supabase/embedded/postgres/free-port";
import type { Installation } from "../installation";
import { verdict } from "../streams/statistics";

const root = join(import.meta.dirname, "../..");

export interface Program {
  port: number;
  process: ChildProcess;
  /** From its start to its first good answer, in milliseconds. */
  startedWithin: number;
  /** Resident memory in MB; undefined where /proc is missing. */
  memory(): Promise<number | undefined>;
  stop(): Promise<void>;
}

/** As in `npm start`: a small young generation keeps a third of the memory free and costs nothing measurable. */
const nodeOptions = ["--max-semi-space-size=4"];

interface Start {
  /** Settings on top of those of the environment. */
  env?: Record<string, string>;
  /** Modules that Node loads before the program. */
  imports?: string[];
}

/** The service as `npm start` runs it, over the database of the data folder. */
export async function startService(
  dataDir: string,
  port: number,
  { env = {}, imports = [] }: Start = {},
): Promise<Program> {
  const startedAt = performance.now();
  const program = join(root, "build/programs/start.js");
  const before = imports.flatMap((file) => ["--import", file]);
  const child = spawn(process.execPath, [...nodeOptions, ...before, program], {
    cwd: root,
    env: {
      ...process.env,
      ...env,
      NODE_ENV: "production",
      DATA_DIR: dataDir,
      PORT: String(port),
      npm_lifecycle_event: undefined,
    },
    stdio: ["ignore", "ignore", "inherit"],
  });
  for (;;) {
    const response = await fetch(`http://127.0.0.1:${port}/api/health`).catch(() => undefined);
    if (response?.ok) break;
    if (child.exitCode !== null) throw new Error("The service did not start");
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return programOf(child, port, performance.now() - startedAt);
}

/** A reference program, which writes its port when it listens. */
async function startReference(file: string, ...programArguments: string[]): Promise<Program> {
  const startedAt = performance.now();
  const child = spawn(process.execPath, [file, ...programArguments], {
    cwd: root,
    env: { ...process.env, NODE_ENV: "production" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [line] = await once(child.stdout, "data");
  return programOf(child, Number(String(line)), performance.now() - startedAt);
}

/** The service of an installation and its reference program, while something is asked of both; `pids` are all of them. */
export async function withBoth(
  { dataDir, cluster }: Installation,
  [file, ...programArguments]: [file: string, ...programArguments: string[]],
  work: (service: Program, bare: Program, pids: readonly number[]) => Promise<void>,
): Promise<void> {
  const service = await startService(dataDir, await findFreePort());
  const bare = await startReference(file, ...programArguments);
  const pids = [process.pid, cluster.pid(), service.process.pid ?? 0, bare.process.pid ?? 0];
  await work(service, bare, pids).finally(() => Promise.all([service.stop(), bare.stop()]));
}

function programOf(child: ChildProcess, port: number, startedWithin: number): Program {
  return {
    port,
    process: child,
    startedWithin,
    memory: () => residentMemory(child.pid ?? 0),
    async stop() {
      child.kill("SIGTERM");
      if (child.exitCode === null) await once(child, "exit");
    },
  };
}

/** What the processes of the service hold after so much work, each of them: the largest counts. */
export async function memoryFloor(work: string, services: readonly Program[]): Promise<string> {
  const memory = await Promise.all(services.map((service) => service.memory()));
  return verdict(`resident memory in MB after ${work}`, Math.max(...memory.map((each = 0) => each)), 250, "lower");
}

async function residentMemory(pid: number): Promise<number | undefined> {
  const status = await readFile(`/proc/${pid}/status`, "utf8").catch(() => "");
  const [, kilobytes] = /VmRSS:\s+(\d+) kB/.exec(status) ?? [];
  return kilobytes === undefined ? undefined : Number(kilobytes) / 1_024;
}
