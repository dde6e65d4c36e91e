import { spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { expect, it, vi } from "vitest";
import { openStage, startRun } from "./fixture";
import { flags } from "./flags";
import { follow, read, workerFile } from "./worker-process";

const { t, app, ada, token, home, repo } = await openStage();

/** A project whose script is the worker, as `npm run worker` is in a clone. */
const project = join(home, "project");
mkdirSync(project);
const script = `exec "${process.execPath}" "${workerFile}"`;
writeFileSync(join(project, "package.json"), JSON.stringify({ scripts: { worker: script } }));

/** In a process group of its own, as a terminal starts it. */
function npmRun(words: readonly string[], environment: Record<string, string> = {}) {
  return follow(
    spawn("npm", ["run", "--silent", "worker", "--", ...words], {
      cwd: project,
      detached: true,
      stdio: ["ignore", "pipe", "pipe"],
      env: { ...process.env, NODE_OPTIONS: "", ...environment },
    }),
  );
}

function addProgram(bin: string, name: string, version: string): void {
  mkdirSync(bin, { recursive: true });
  writeFileSync(join(bin, name), `#!/bin/sh\necho ${version}\n`, { mode: 0o755 });
}

it("A worker under npm run gives its job back on Ctrl-C, though npm passes it on once more", async () => {
  const run = await startRun(t, ada, { code: "CTRLC" });
  const begun = join(home, "begun");
  const worker = npmRun([
    ...flags({ url: app.origin, token, "work-dir": join(home, "work"), repo, product: "CTRLC" }),
    ...flags({ name: "ctrl-c", sandbox: "off", exec: `echo begun > ${begun}; exec sleep 600` }),
  ]);
  await vi.waitFor(() => expect(read(begun), worker.output()).toBe("begun\n"), { timeout: 60_000 });
  // More than once, since what npm passes on may come together with what the terminal says: then it is one signal.
  // It may be gone before the last.
  for (let press = 0; press < 5 && interrupt(Number(worker.process.pid)); press += 1) await wait(20);
  await worker.ended;
  expect(worker.output()).toContain("Stopped: the job returns to the queue");
  expect((await run.read()).jobs).toMatchObject([{ status: "queued", retry_count: 0 }]);
});

it("A worker under npm run finds agents in a person's own node_modules/.bin, and none of this project", async () => {
  const own = join(home, "of-ada", "node_modules", ".bin");
  addProgram(own, "gemini", "0.61.0");
  addProgram(join(project, "node_modules", ".bin"), "opencode", "1.18.33");
  const path = `${own}:${process.env.PATH?.replace(/^\S*node-gyp-bin:/, "")}`;
  const worker = npmRun(["agents"], { PATH: path, GEMINI_API_KEY: "of-nobody" });
  await worker.ended;
  expect(worker.output()).toMatch(/^gemini .*0\.61\.0.*signed in$/m);
  expect(worker.output()).toMatch(/^opencode +not installed/m);
});

/** What a terminal sends to the whole group. False when no one of it is left. */
function interrupt(group: number): boolean {
  try {
    return process.kill(-group, "SIGINT");
  } catch {
    return false;
  }
}
