import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, describe, expect, it, vi } from "vitest";
import { beginningOf } from "../../worker/base/orphans";
import { isRunning } from "../../worker/base/work-folder";
import { openStage, startRun } from "./fixture";
import { endOf, isAlive, read } from "./worker-process";

const { t, ada, home, serve } = await openStage();

const start = (code: string, exec: string, ...words: string[]) =>
  serve(code, ["--work-dir", join(home, code), "--name", "worker", "--exec", exec, ...words]);

describe("the start of a worker", { timeout: 120_000 }, () => {
  const stranger = spawn("sleep", ["600"], { detached: true, stdio: "ignore" });
  afterAll(() => void stranger.kill("SIGKILL"));
  const pid = stranger.pid ?? 0;

  it("A worker knows a running process by a mark from another language and time zone", async () => {
    const mark = `${pid} ${await beginningOf(pid)}`;
    vi.stubEnv("TZ", "Asia/Tokyo");
    vi.stubEnv("LC_ALL", "de_DE.UTF-8");
    expect(await isRunning(mark)).toBe(true);
    vi.unstubAllEnvs();
  });

  it("A dead worker's lock goes to one of six that start at once", async () => {
    const takers = Array.from({ length: 6 }, () => lockTaker());
    await Promise.all(takers.map(({ said }) => said()));
    for (let round = 0; round < 20; round += 1) {
      const lock = join(home, `round-${round}.pid`);
      writeFileSync(lock, "999999999 long ago");
      for (const { take } of takers) take(lock);
      const said = await Promise.all(takers.map((taker) => taker.said()));
      expect(said.filter((word) => word === "true")).toHaveLength(1);
    }
    for (const { end } of takers) end();
  });

  it.each([
    ["in the worktree of a job", "job-1"],
    ["in its own notes, of a process that is not its own", "job-1.files"],
  ])("A worker that starts ends no process that a file names %s", async (_where, folder) => {
    const code = folder === "job-1" ? "TREE" : "NOTES";
    await startRun(t, ada, { code });
    const place = join(home, code, "workers/worker/worktrees", folder);
    mkdirSync(place, { recursive: true });
    const began = await beginningOf(pid);
    writeFileSync(join(place, "command.pid"), JSON.stringify({ pid, began }));
    await endOf(start(code, "true", "--once"));
    expect(isAlive(pid)).toBe(true);
  });

  it("A worker that starts does not wait at a pipe with the name of a note", async () => {
    await startRun(t, ada, { code: "PIPE" });
    for (const folder of ["job-1", "job-1.files"]) {
      const place = join(home, "PIPE/workers/worker/worktrees", folder);
      mkdirSync(place, { recursive: true });
      for (const name of ["command.pid", "turn.json"]) execFileSync("mkfifo", [join(place, name)]);
    }
    await endOf(start("PIPE", "true", "--once"));
  });
});

it("A job without a sandbox ends what its command left in the background, in its own session too", async () => {
  const run = await startRun(t, ada, { code: "LEFT" });
  const file = join(home, "left.pid");
  const left = `setsid sh -c 'echo $$ > ${file}; exec sleep 600' < /dev/null > /dev/null 2>&1 &`;
  const worker = start("LEFT", `${left} echo x > x; while [ ! -s ${file} ]; do :; done`, "--once");
  expect(await worker.ended, worker.output()).toBe(0);
  expect((await run.read()).jobs).toMatchObject([{ status: "done" }]);
  expect(isAlive(Number(read(file)))).toBe(false);
});

/** A process that takes the locks it is told of, and says of each whether it has it. */
function lockTaker() {
  const code = `
    import { createInterface } from "node:readline";
    import { takeLock } from "./worker/base/work-folder.ts";
    console.log("ready");
    for await (const file of createInterface(process.stdin)) console.log(String(await takeLock(file)));`;
  const words = ["--import", "tsx", "--input-type=module", "--eval", code];
  const child = spawn(process.execPath, words, { stdio: ["pipe", "pipe", "inherit"] });
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  return {
    take: (file: string) => child.stdin.write(`${file}\n`),
    said: async () => String((await lines.next()).value),
    end: () => child.kill(),
  };
}
