import { join } from "node:path";
import { expect, it, vi } from "vitest";
import type { Actor } from "~/db/rpc.server";
import { addComment, listJobMessages } from "~/nouns/comments/operations.server";
import { at } from "../setup/world";
import { makeBarrier } from "./barrier";
import { openStage, startRun } from "./fixture";
import { openToolGate } from "./tool-gate";
import { fakeAgent } from "./worker-process";

/** Waits until a message is there, and leaves it in the work. */
const heed = 'while ! [ -s "$BACKLOOM_MESSAGES" ]; do sleep 0.05; done; cp "$BACKLOOM_MESSAGES" heeded.jsonl';

const { t, app, ada, actor, home, git, serve } = await openStage();

const work = (code: string, url: string, ...words: string[]) =>
  serve(code, ["--url", url, "--once", "--name", `loom-${code}`, "--work-dir", join(home, `work-${code}`), ...words]);

/** Ada writes to anyone who works on the first task of the run. */
async function say(run: Awaited<ReturnType<typeof startRun>>, body: string) {
  const { task_id } = at((await run.read()).jobs, 0);
  await addComment(actor, { kind: "task", id: String(task_id), body, send_to_agent: true });
}

async function statesOf(caller: Actor, job_id: string) {
  const { messages } = await listJobMessages(caller, { job_id });
  return messages.map(({ text, state }) => `${text} ${state}`);
}

it("A command finds a person's message in the file BACKLOOM_MESSAGES, even when an answer is lost", async () => {
  const run = await startRun(t, ada, { code: "HEED" });
  const hold = makeBarrier(join(home, "hold"));
  const gate = await openToolGate(app.port);
  const exec = `${hold.script}; ${heed}`;
  const worker = work("HEED", gate.url, "--exec", exec, "--heartbeat", "0.5");
  await hold.reached(worker.output);
  const beat = gate.hold({ tool: "job_heartbeat", when: "after" });
  await say(run, "Use tabs.");
  await beat.reached;
  beat.lose();
  await hold.release();
  expect(await worker.ended, worker.output()).toBe(0);
  const job = at((await run.read()).jobs, 0);
  const heeded = git("show", `${job.branch}:heeded.jsonl`);
  expect(JSON.parse(heeded)).toMatchObject({ about: "T-1", author: "ada", text: "Use tabs." });
  expect(await statesOf(actor, job.id)).toEqual(["Use tabs. acted_on"]);
});

it("An agent that speaks ACP hears a person's message in its session, and its work follows", async () => {
  const run = await startRun(t, ada, { code: "STEER" });
  const command = `HOME='${home}' FAKE_ENDING=steered exec '${process.execPath}' '${fakeAgent}'`;
  const worker = work("STEER", app.origin, "--agent", `acp:${command}`);
  await vi.waitFor(
    async () => {
      const rows = await t.query`select from job_outputs where kind = 'command'`;
      expect(rows, worker.output()).toHaveLength(1);
    },
    { timeout: 60_000 },
  );
  await say(run, "Use tabs.");
  expect(await worker.ended, worker.output()).toBe(0);
  const job = at((await run.read()).jobs, 0);
  expect(git("show", `${job.branch}:told.txt`)).toContain("> Use tabs.");
  expect(await statesOf(actor, job.id)).toEqual(["Use tabs. acted_on"]);
});
