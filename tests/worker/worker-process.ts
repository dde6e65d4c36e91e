import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { afterAll } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));
// Absolute, because the demo command is started with the same words in a worktree.
const loader = pathToFileURL(createRequire(import.meta.url).resolve("tsx")).href;

export interface WorkerProcess {
  process: ChildProcess;
  /** Everything that it has printed so far. */
  output(): string;
  /** Resolves as soon as it has printed a matching line. */
  said(pattern: RegExp): Promise<string>;
  /** Its exit code, once it has ended. */
  ended: Promise<number | null>;
}

/** Starts the real worker as a process of its own; it is killed when the file is over. */
export function startWorker(words: readonly string[]): WorkerProcess {
  const child = spawn(
    process.execPath,
    ["--import", loader, join(root, "app/worker/main.ts"), ...words],
    {
      cwd: root,
      stdio: ["ignore", "pipe", "pipe"],
      env: { ...process.env, NODE_OPTIONS: "", TSX_TSCONFIG_PATH: join(root, "tsconfig.json") },
    },
  );
  let output = "";
  const listeners = new Set<() => void>();
  const take = (chunk: Buffer) => {
    output += chunk.toString("utf8");
    for (const listener of listeners) listener();
  };
  child.stdout.on("data", take);
  child.stderr.on("data", take);
  const ended = once(child, "exit").then(() => child.exitCode);
  afterAll(() => void child.kill("SIGKILL"));

  const said = (pattern: RegExp) =>
    new Promise<string>((resolve, reject) => {
      const look = () => {
        const match = pattern.exec(output);
        if (!match) return;
        listeners.delete(look);
        resolve(match[0]);
      };
      listeners.add(look);
      void ended.then(() => reject(new Error(`The worker ended:\n${output}`)));
      look();
    });
  return { process: child, output: () => output, said, ended };
}
