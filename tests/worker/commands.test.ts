import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it, vi } from "vitest";
import { startProcess } from "../../worker/base/process";
import { gitWithin } from "../../worker/git/git";
import { runCommand } from "../../worker/job/commands";

const folder = mkdtempSync(join(tmpdir(), "backloom-commands-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function run(command: string, wish: { logFile?: string; signal?: AbortSignal } = {}) {
  return runCommand({
    command,
    folder,
    environment: {},
    logFile: join(folder, "log"),
    timeoutMinutes: 0.5,
    signal: new AbortController().signal,
    clean: (text) => text,
    ...wish,
  });
}

it("A command ends with its exit code, what it printed and what it answered", async () => {
  const end = await run("read -r word; echo said; echo beside >&2; exit 3");
  expect(end).toMatchObject({ exitCode: 3, answer: "said", timedOut: false });
  expect(end.output.split("\n").sort()).toEqual(["beside", "said"]);
  expect(readFileSync(join(folder, "log"), "utf8")).toContain("beside");
});

it("A command's output is read letter by letter, also where a letter comes in two pieces", async () => {
  const end = await run("printf 'Gr\\303'; sleep 0.2; printf '\\274n'");
  expect(end).toMatchObject({ output: "Grün", answer: "Grün" });
});

it("A command does its work although its log cannot be written", async () => {
  const end = await run("echo one; sleep 0.2; echo two", { logFile: "/dev/full" });
  expect(end).toMatchObject({ exitCode: 0, answer: "one\ntwo" });
});

it("A command is over when it has ended, no matter what it has left in the background", {
  tags: "thorough",
}, async () => {
  const end = await run("sleep 300 & echo done");
  expect(end).toMatchObject({ exitCode: 0, answer: "done", timedOut: false });
});

it("A command ends when asked to, although a process that it let go holds on to its pipes", async () => {
  const controller = new AbortController();
  const pidFile = join(folder, "pid");
  const leaving = `(setsid sh -c 'echo $$ > ${pidFile}; echo gone; exec sleep 300' &); sleep 300`;
  const running = runCommand({
    command: leaving,
    folder,
    environment: {},
    logFile: join(folder, "log"),
    timeoutMinutes: 10,
    takeLine: (line) => void (line === "gone" && controller.abort()),
    signal: controller.signal,
    clean: (text) => text,
  });
  try {
    expect(await running).toMatchObject({ exitCode: 143 });
  } finally {
    process.kill(Number(readFileSync(pidFile, "utf8")), "SIGKILL");
  }
});

it("A program that is told to end waits for what it has started, which may write down what it knows", async () => {
  const file = join(folder, "written");
  const writer = `trap 'sleep 0.5; echo all > ${file}; exit' TERM; : > ${file}.ready; while :; do sleep 0.1; done`;
  const program = await startProcess({
    program: "/bin/sh",
    args: ["-c", `(${writer}) > /dev/null 2>&1 & trap 'exit 0' TERM; wait`],
    folder,
    environment: { PATH: String(process.env.PATH) },
    onOutput: () => undefined,
  });
  await vi.waitFor(() => expect(existsSync(`${file}.ready`)).toBe(true), 60_000);
  await program.stop();
  expect(readFileSync(file, "utf8")).toBe("all\n");
});

it("Git is ended when a remote does not answer", async () => {
  const listed = ["ls-remote", "ssh://git@example.com/shop.git"];
  const stalled = ["-c", "core.sshCommand=cat #", ...listed];
  const end = await gitWithin(0.02, folder, stalled);
  expect(end).toMatchObject({ code: -1, problem: "it did not end within 0.02 minutes" });
});
