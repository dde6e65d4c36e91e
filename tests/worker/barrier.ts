import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, vi } from "vitest";
import { isAlive } from "./worker-process";

/** A place in the work of a worker where the first who comes by waits until the test lets it go. */
export interface Barrier {
  /** A program for a command line, a hook of git or a setting of git. */
  script: string;
  /** Resolves as soon as someone waits there. */
  reached(output: () => string): Promise<void>;
  /** Lets it go and waits until it has ended, together with the program that had started it. */
  release(): Promise<void>;
}

/** Everyone after the first passes; `then` is what the program continues with. */
export function makeBarrier(folder: string, then = "exit 0"): Barrier {
  mkdirSync(folder, { recursive: true });
  const script = join(folder, "hold.sh");
  const pids = join(folder, "pids");
  const go = join(folder, "go");
  writeFileSync(
    script,
    `#!/bin/sh
if mkdir "${folder}/taken" 2>/dev/null; then
  echo $$ $PPID > "${pids}.new" && mv "${pids}.new" "${pids}"
  while [ ! -e "${go}" ] && [ -d "${folder}" ]; do sleep 0.05; done
fi
${then}
`,
  );
  chmodSync(script, 0o755);
  return {
    script,
    reached: (output) =>
      vi.waitFor(() => expect(existsSync(pids), output()).toBe(true), { timeout: 60_000, interval: 20 }),
    async release() {
      writeFileSync(go, "");
      const waiting = readFileSync(pids, "utf8").trim().split(" ").map(Number);
      await vi.waitFor(() => expect(waiting.filter(isAlive)).toEqual([]), { timeout: 60_000 });
    },
  };
}
