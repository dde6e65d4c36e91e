import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, it, vi } from "vitest";
import { claimAgentJob } from "~/nouns/agent-jobs/operations.server";
import { startTcpProxy } from "../setup/tcp-proxy";
import { openStage, startRun } from "./fixture";
import { openToolGate } from "./tool-gate";
import { endOf, isAlive, read, startWorker } from "./worker-process";

const { t, app, ada, home, git, serve } = await openStage();
const line = await startTcpProxy(app.port);
afterAll(() => line.close());

const start = (product: string, exec: string, ...words: string[]) =>
  serve(product, ["--exec", exec, "--heartbeat", "0.2", ...words]);

it("A worker that loses the service continues with its work and reports when the network is back", async () => {
  const run = await startRun(t, ada, { code: "NET" });
  const go = join(home, "go");
  const command = `echo x > x; while [ ! -f ${go} ]; do sleep 0.05; done`;
  const worker = start("NET", command, "--once", "--url", `http://127.0.0.1:${line.port}`);
  await worker.said(/Claimed .*/);
  line.refuse();
  await worker.said(/Heartbeats are failing/);
  writeFileSync(go, "");
  await worker.said(/The service does not answer/);
  expect((await run.read()).status).toBe("running");
  line.allow();
  expect(await worker.ended, worker.output()).toBe(0);
  expect((await run.read()).jobs).toMatchObject([{ status: "done", attempt: 1 }]);
});

it("A worker continues with its heartbeats when one of them was lost", async () => {
  await startRun(t, ada, { code: "BEATS" });
  const gate = await openToolGate(app.port, { streams: false });
  const beat = gate.hold({ tool: "job_heartbeat", when: "before" });
  const worker = start("BEATS", "sleep 600", "--url", gate.url);
  await beat.reached;
  beat.lose();
  await worker.said(/Heartbeats are failing/);
  const sent = () => gate.given("job_heartbeat").length;
  const before = sent();
  await expect.poll(sent).toBeGreaterThan(before);
  expect(await worker.end("SIGTERM"), worker.output()).toBe(0);
});

it("A worker ends when it is asked to, although it cannot tell the service", async () => {
  const run = await startRun(t, ada, { code: "GONE" });
  const worker = start("GONE", "sleep 600", "--url", `http://127.0.0.1:${line.port}`);
  await worker.said(/Claimed .*/);
  line.refuse();
  // Whether it had told that it begins by then or not.
  await worker.said(/The service does not answer|Heartbeats are failing/);
  expect(await worker.end("SIGTERM"), worker.output()).toBe(0);
  expect(worker.output()).toContain("Could not tell the service that this worker stops");
  line.allow();
  expect((await run.read()).jobs).toMatchObject([{ attempt: 1 }]);
});

it("A worker whose token is not accepted says so and ends at once", async () => {
  const words = ["--url", app.origin, "--token", "blm_wrong", "--exec", "true"];
  const worker = startWorker([...words, "--work-dir", join(home, "work"), "--name", "wrong"]);
  expect(await worker.ended).toBe(1);
  expect(worker.output()).toContain("does not accept the token");
});

it("J5: An attempt that lost its job is told to stop at its next heartbeat and leaves no trace", async () => {
  const run = await startRun(t, ada, { code: "LOST" });
  const worker = start("LOST", "echo late > late.txt; sleep 60", "--once");
  await worker.said(/Claimed .*/);
  expect((await run.read()).status).toBe("running");
  // A heartbeat that comes between the two renews the lease: then it runs out once more.
  const job = await vi.waitFor(
    async () => {
      await t.query`update agent_jobs set lease_until = now() - interval '1 second'
          where product_id = ${run.productId}`;
      const claim = { worker: "another", product_id: run.productId };
      const taken = (await claimAgentJob(t.actorOf(ada), claim)).job;
      expect(taken).toMatchObject({ attempt: 2 });
      return taken;
    },
    { timeout: 60_000 },
  );
  await worker.said(/Told to stop|The attempt is over/);
  await worker.ended;
  expect(() => git("rev-parse", "--verify", String(job?.branch))).toThrow();
  expect((await run.read()).jobs).toMatchObject([{ attempt: 2, worker_name: "another" }]);
});

it("J7: a worker killed with -9 ends its orphan and has its job back when it starts again", async () => {
  const run = await startRun(t, ada, { code: "KILL" });
  const pidFile = join(home, "kill-alive");
  const first = start("KILL", `echo $$ > ${pidFile}; while :; do sleep 0.1; done`);
  await vi.waitFor(() => expect(read(pidFile)).toMatch(/^\d+\n$/), { timeout: 60_000 });
  await first.end("SIGKILL");
  await endOf(start("KILL", "demo", "--once"));
  const orphan = Number(read(pidFile));
  await vi.waitFor(() => expect(isAlive(orphan)).toBe(false), { timeout: 60_000 });
  expect((await run.read()).jobs).toMatchObject([{ status: "done", attempt: 2, retry_count: 1 }]);
  expect(readdirSync(join(home, "work/workers/worker-KILL/worktrees"))).toEqual([]);
});

it("A detached process of an agent outlives kill -9 of its worker, and ends when the worker starts again", async () => {
  const run = await startRun(t, ada, { code: "STRAY" });
  const pidFile = join(home, "stray-alive");
  const loop = `echo $$ > ${pidFile}; while :; do sleep 0.1; done`;
  const options = '{ detached: true, stdio: "ignore" }';
  const detach = `require("child_process").spawn("sh", ["-c", ${JSON.stringify(loop)}], ${options}).unref()`;
  const first = start("STRAY", `"${process.execPath}" -e '${detach}'; sleep 600`);
  await vi.waitFor(() => expect(read(pidFile)).toMatch(/^\d+\n$/), { timeout: 60_000 });
  await first.end("SIGKILL");
  const stray = Number(read(pidFile));
  expect(isAlive(stray)).toBe(true);
  const bystander = start("STRAY", "demo", "--name", "bystander");
  await bystander.said(/Worker bystander waits/);
  expect(isAlive(stray)).toBe(true);
  await bystander.end("SIGTERM");
  await endOf(start("STRAY", "demo", "--once"));
  expect(isAlive(stray)).toBe(false);
  expect((await run.read()).status).toBe("done");
});

it("Workers that are started with the same name take their own names", async () => {
  await startRun(t, ada, { code: "TWINS" });
  const first = start("TWINS", "sleep 60", "--name", "twin");
  await first.said(/Worker twin waits/);
  const second = start("TWINS", "sleep 60", "--name", "twin");
  await second.said(/Worker twin-2 waits/);
  first.process.kill("SIGTERM");
  second.process.kill("SIGTERM");
  expect(await Promise.all([first.ended, second.ended])).toEqual([0, 0]);
});
