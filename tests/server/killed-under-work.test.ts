import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { getAgentJob, getJobOutput } from "~/nouns/agent-jobs/operations.server";
import { ownDataDir } from "../embedded/own-stack";
import { at } from "../setup/world";
import { makeHome, makeRepository, startRun } from "../worker/fixture";
import { flags } from "../worker/flags";
import { type HeldTool, openToolGate } from "../worker/tool-gate";
import { fakeAgent, startWorker } from "../worker/worker-process";
import { killService, openOwnDatabase, startService } from "./own-service";

const dataDir = await ownDataDir();
let service = await startService(dataDir);
const store = await openOwnDatabase(dataDir);
const ada = await store.createUser({ username: "ada" });
const actor = store.actorOf(ada);
const token = await store.createToken(ada);
const home = makeHome();
const repo = join(home, "repo");
const git = makeRepository(repo);
const gate = await openToolGate(service.port);

/** At its own port: someone else may have taken the old one. The worker's address stays. */
async function startAgain(): Promise<void> {
  service = await startService(dataDir);
  gate.moveTo(service.port);
}

/** A worker whose agent commits, waits until asked to go on, and commits again. */
async function beginWork(code: string) {
  const run = await startRun(store, ada, { code });
  const own = join(home, code);
  mkdirSync(own);
  writeFileSync(join(own, "ending"), "commits");
  const worker = startWorker([
    ...flags({ url: gate.url, token, "work-dir": join(home, "work"), repo, name: `worker-${code}` }),
    ...flags({ product: code, heartbeat: "0.3", once: true }),
    ...flags({ agent: `acp:HOME="${own}" exec "${process.execPath}" "${fakeAgent}"` }),
  ]);
  const job = async () => getAgentJob(actor, { job_id: at((await run.read()).jobs, 0).id });
  const goOn = () => writeFileSync(join(own, "go-on"), "");
  return { run, worker, job, goOn };
}
type Work = Awaited<ReturnType<typeof beginWork>>;

async function said(jobId: string): Promise<string> {
  const { entries } = await getJobOutput(actor, { job_id: jobId });
  return entries.flatMap(({ kind, text }) => (kind === "text" ? [text] : [])).join("");
}

/** One attempt did it all, both commits are on the branch, and every token is counted once. */
async function expectWhole({ run, worker, job }: Work): Promise<void> {
  expect(await worker.ended, worker.output()).toBe(0);
  const done = await job();
  expect(done, worker.output()).toMatchObject({
    status: "done",
    attempt: 1,
    retry_count: 0,
    input_tokens: 300,
    output_tokens: 30,
    cache_read_tokens: 120,
    cache_write_tokens: 7,
    costs: [{ currency: "USD", cost: 0.5 }],
  });
  expect(git("log", "--format=%s", "--reverse", `main..${done.branch}`)).toBe("first\nsecond");
  expect(done.head_sha).toBe(git("rev-parse", String(done.branch)));
  expect((await run.read()).status).toBe("done");
  expect(await said(done.id)).toBe("I have made the first file.\nI have made the second file.\n");
}

describe("the service killed with -9 under a worker", { timeout: 240_000 }, () => {
  it("A worker whose service is killed mid-attempt continues, and loses neither commits nor tokens", async () => {
    const work = await beginWork("MIDDLE");
    await vi.waitFor(async () => expect(await said((await work.job()).id)).toBe("I have made the first file.\n"), {
      timeout: 60_000,
    });
    await killService(service);
    work.goOn();
    await work.worker.said(/does not answer|Heartbeats are failing/);
    await startAgain();
    await expectWhole(work);
  });

  const lastWords: [string, string, HeldTool][] = [
    ["has written down what was used and has not said so", "USAGE", { tool: "report_job_usage", when: "after" }],
    ["has not heard of the end", "BEFORE", { tool: "update_job_status", status: "done", when: "before" }],
    ["has taken the end and has not said so", "AFTER", { tool: "update_job_status", status: "done", when: "after" }],
  ];
  it.each(lastWords)("A worker's report to a service killed when it %s counts once", async (_name, code, place) => {
    const work = await beginWork(code);
    const held = gate.hold(place);
    work.goOn();
    await Promise.race([held.reached, work.worker.ended]);
    await killService(service);
    held.lose();
    await startAgain();
    await expectWhole(work);
  });
});
