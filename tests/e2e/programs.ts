import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "./test";

export interface Program {
  /** Resolves as soon as it has printed a matching line. */
  said(pattern: RegExp): Promise<string>;
  /** Asks it to end, or kills it, with everything that it started; resolves when all of it has ended. */
  end(signal: "SIGTERM" | "SIGKILL"): Promise<unknown>;
}

interface Programs {
  /** A folder of this journey alone; gone when it is over. */
  home: string;
  /** Starts a line of a terminal in the project's folder. What still runs at the end of the journey is ended. */
  terminal: (line: string) => Program;
}

export const testWithTerminal = test.extend<Programs>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright wants the fixtures as a pattern
  home: async ({}, use) => {
    const home = mkdtempSync(join(tmpdir(), "backloom-journey-"));
    await use(home);
    rmSync(home, { recursive: true, force: true });
  },
  terminal: async ({ browser, home }, use) => {
    const started: Program[] = [];
    await use((line) => {
      // A group of its own, so that a signal reaches what npm and the shell have started.
      const child = spawn(line, {
        shell: "/bin/sh",
        detached: true,
        stdio: ["ignore", "pipe", "pipe"],
        env: { ...process.env, HOME: home, npm_config_update_notifier: "false" },
      });
      const program = follow(child);
      started.push(program);
      return program;
    });
    // A page that asks a service that has ended is a problem that no user has.
    for (const context of browser.contexts()) await context.close();
    await Promise.all(started.map((program) => program.end("SIGTERM")));
  },
});

function follow(child: ChildProcess): Program {
  let output = "";
  const listeners = new Set<() => void>();
  const take = (chunk: Buffer) => {
    output += chunk.toString("utf8");
    for (const listener of listeners) listener();
  };
  child.stdout?.on("data", take);
  child.stderr?.on("data", take);
  const ended = once(child, "close");
  return {
    said: (pattern) =>
      new Promise<string>((resolve, reject) => {
        const look = () => {
          const match = pattern.exec(output);
          if (match) resolve(match[0]);
        };
        listeners.add(look);
        void ended.then(() => reject(new Error(`The program ended:\n${output}`)));
        look();
      }),
    async end(signal) {
      const isRunning = child.exitCode === null && child.signalCode === null;
      if (isRunning && child.pid) process.kill(-child.pid, signal);
      return ended;
    },
  };
}
