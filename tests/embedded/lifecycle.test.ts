import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { ask, isRunning, ownDataDir, ownStack, postmasterOf } from "./own-stack";

/** A process with a stack of its own, and the number of its Postgres. */
async function startProcess(...words: string[]) {
  const program = ["--import", "tsx", join(import.meta.dirname, "stack-process.ts")];
  const app = spawn(process.execPath, [...program, ...words], { stdio: ["ignore", "pipe", "inherit"] });
  const ended = once(app, "exit");
  return { app, ended, pid: Number(await new Promise((resolve) => app.stdout.once("data", resolve))) };
}

it("The embedded stack keeps its data between two starts and leaves nothing running", async () => {
  const dataDir = await ownDataDir();
  const first = await ownStack(dataDir);
  const pid = await postmasterOf(dataDir);
  await ask(first.migrationUrl, "create table kept as select 42 as n");
  await first.stop();
  expect(isRunning(pid)).toBe(false);

  const second = await ownStack(dataDir);
  expect(await ask(second.migrationUrl, "select n from kept")).toBe(42);
  expect(second.secretKey).toBe(first.secretKey);
  await second.stop();
});

it("The embedded stack restarts a killed Postgres by itself, with every acknowledged write", async () => {
  const dataDir = await ownDataDir();
  const stack = await ownStack(dataDir);
  await ask(stack.migrationUrl, "create table written (n int)");
  let acknowledged = 0;
  const killAt = 100;
  for (let n = 1; n <= 200; n++) {
    if (n === killAt) process.kill(await postmasterOf(dataDir), "SIGKILL");
    const answer = await ask(stack.migrationUrl, `insert into written values (${n}) returning n`);
    if (answer === n) acknowledged += 1;
  }
  await expect
    .poll(() => ask(stack.migrationUrl, "select count(*)::int from written"))
    .toBeGreaterThanOrEqual(acknowledged);
  expect(acknowledged).toBeGreaterThanOrEqual(killAt - 1);
  await stack.stop();
});

it("The embedded stack starts despite the pid file of a Postgres killed together with the app", async () => {
  const dataDir = await ownDataDir();
  const { app, pid: postmaster } = await startProcess(dataDir);
  app.kill("SIGKILL");
  process.kill(postmaster, "SIGKILL");

  const stack = await ownStack(dataDir);
  expect(await ask(stack.migrationUrl, "select n from kept")).toBe(7);
  await stack.stop();
});

it("The embedded stack continues with a Postgres that outlived a killed app, and stops it at the end", async () => {
  const dataDir = await ownDataDir();
  const { app, pid: postmaster } = await startProcess(dataDir);
  app.kill("SIGKILL");

  const stack = await ownStack(dataDir);
  expect(await postmasterOf(dataDir)).toBe(postmaster);
  expect(await ask(stack.migrationUrl, "select n from kept")).toBe(7);
  await stack.stop();
  await expect.poll(() => isRunning(postmaster)).toBe(false);
});

it("Two processes restart a killed Postgres that neither of them started, only once", async () => {
  const dataDir = await ownDataDir();
  const first = await ownStack(dataDir);
  const second = await ownStack(dataDir);
  await ask(first.migrationUrl, "create table kept as select 42 as n");
  await first.stop();
  const third = await ownStack(dataDir);

  const postmaster = await postmasterOf(dataDir);
  process.kill(postmaster, "SIGKILL");
  for (const stack of [second, third]) {
    await expect.poll(() => ask(stack.migrationUrl, "select n from kept")).toBe(42);
  }
  const successor = await postmasterOf(dataDir);
  expect(successor).not.toBe(postmaster);
  await second.stop();
  expect(await ask(third.migrationUrl, "select n from kept")).toBe(42);
  await third.stop();
  await expect.poll(() => isRunning(successor)).toBe(false);
});

it("The embedded stack starts despite a pid file that names a process of another program", async () => {
  const dataDir = await ownDataDir();
  const first = await ownStack(dataDir);
  const pidFile = join(dataDir, "postgres/postmaster.pid");
  const lines = (await readFile(pidFile, "utf8")).split("\n");
  await first.stop();
  await writeFile(pidFile, [String(process.pid), ...lines.slice(1)].join("\n"));

  const second = await ownStack(dataDir);
  expect(await ask(second.migrationUrl, "select 1")).toBe(1);
  await second.stop();
});

it("Two processes over one folder share the embedded stack until the last one leaves", async () => {
  const dataDir = await ownDataDir();
  const server = await ownStack(dataDir);
  const command = await ownStack(dataDir);
  expect(command.migrationUrl).toBe(server.migrationUrl);
  await server.stop();
  expect(await ask(command.migrationUrl, "select 1")).toBe(1);
  const pid = await postmasterOf(dataDir);
  await command.stop();
  expect(isRunning(pid)).toBe(false);
});

it("The embedded stack stops when its process ends without stopping it", async () => {
  const dataDir = await ownDataDir();
  const { pid, ended } = await startProcess(dataDir, "exit");
  await ended;
  await expect.poll(() => isRunning(pid)).toBe(false);
});
