import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { afterAll } from "vitest";
import { identityOf } from "../../supabase/embedded/postgres/process-identity";

const root = fileURLToPath(new URL("../..", import.meta.url));

export interface WorkerProcess {
  process: ChildProcess;
  /** Everything that it has printed so far. */
  output(): string;
  /** Resolves as soon as it has printed a matching line. */
  said(pattern: RegExp): Promise<string>;
  /** Its exit code, once it has ended. */
  ended: Promise<number | null>;
}

/** The worker as one file, made the way the launcher makes it, inside the project so that it finds its packages. */
const program = join(root, "node_modules/.cache/backloom-tests", `worker-${process.pid}.mjs`);
await build({
  absWorkingDir: root,
  entryPoints: ["app/worker/main.ts"],
  outfile: program,
  bundle: true,
  platform: "node",
  target: "node20",
  format: "esm",
  packages: "external",
  alias: { "~": "./app" },
  logLevel: "silent",
});

const started: { child: ChildProcess; ended: Promise<unknown> }[] = [];
afterAll(async () => {
  // Asked to end, not killed, so that what they have started ends too.
  for (const { child } of started) child.kill("SIGTERM");
  await Promise.all(started.map(({ ended }) => ended));
  rmSync(program, { force: true });
});

/** Starts the real worker as a process of its own; it is ended when the file is over. */
export function startWorker(
  words: readonly string[],
  environment: Record<string, string> = {},
): WorkerProcess {
  const child = spawn(process.execPath, [program, ...words], {
    cwd: root,
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, NODE_OPTIONS: "", ...environment },
  });
  let output = "";
  const listeners = new Set<() => void>();
  const take = (chunk: Buffer) => {
    output += chunk.toString("utf8");
    for (const listener of listeners) listener();
  };
  child.stdout.on("data", take);
  child.stderr.on("data", take);
  const ended = once(child, "exit").then(() => child.exitCode);
  started.push({ child, ended });

  const said = (pattern: RegExp) =>
    new Promise<string>((resolve, reject) => {
      const look = () => {
        const match = pattern.exec(output);
        if (!match) return;
        listeners.delete(look);
        resolve(match[0]);
      };
      listeners.add(look);
      void ended.then(() => {
        look();
        reject(new Error(`The worker ended:\n${output}`));
      });
      look();
    });
  return { process: child, output: () => output, said, ended };
}

/** Whether a process of this machine still runs; one that is dead and only not yet collected does not. */
export function isAlive(pid: number): boolean {
  return identityOf(pid) !== null;
}

/** What stands in a file; nothing while there is none. */
export function read(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}
