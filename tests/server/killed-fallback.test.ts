import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { getAgentJob } from "~/nouns/agent-jobs/operations.server";
import { at } from "../setup/world";
import { startRun } from "../worker/fixture";
import { fakeAgent, startWorker } from "../worker/worker-process";
import { kills, openKillStage, seed } from "./kill-stage";

/** An agent at its limit hands its work to the next one, while agent, worker and service are killed with -9. */
const stage = await openKillStage("A fallback");
const { store, ada, actor, home, draw } = stage;
const victims = ["agent", "worker", "service"] as const;

/** Different prices show whose cost it is. */
const prices = { claude: 0.5, codex: 0.07 };
const bin = join(home, "bin");
mkdirSync(bin);
const [pids, two] = [join(home, "pids"), join(home, "two-at-once")];

for (const [name, adapter] of [
  ["claude", "claude-agent-acp"],
  ["codex", "codex-acp"],
] as const) {
  const lines = [
    "#!/bin/sh",
    `[ "$1" = --version ] && exec echo 1.0`,
    // Notes an agent of this file that works while this one starts; another program may have the id of a dead one.
    `for pid in $(cat '${pids}' 2>/dev/null); do grep -qas fake-agent "/proc/$pid/cmdline" && grep -qas '${home}/' "/proc/$pid/environ" && echo "$pid ${name}" >> '${two}'; done`,
    `echo $$ >> '${pids}'`,
    `export HOME="$HOME/${name}" FAKE_NAME=${name} FAKE_PRICE=${prices[name]} FAKE_ENDING=costs FAKE_MILLISECONDS=800`,
    `exec '${process.execPath}' '${fakeAgent}'`,
  ];
  writeFileSync(join(bin, adapter), `${lines.join("\n")}\n`, { mode: 0o755 });
}

async function openRound(code: string) {
  const product = { agent: "claude", fallback: ["codex"] };
  const run = await startRun(store, ada, { code, product });
  const { folder, origin, words } = stage.cloneFor(code);
  const own = join(folder, "own");
  for (const name of Object.keys(prices)) mkdirSync(join(own, name), { recursive: true });
  writeFileSync(join(own, "claude/limit-first"), "3600");
  const keys = { ANTHROPIC_API_KEY: "of-nobody", OPENAI_API_KEY: "of-nobody" };
  const { id } = at((await run.read()).jobs, 0);
  return {
    origin,
    job: () => getAgentJob(actor, { job_id: id }),
    worktrees: join(folder, "work/workers/here/worktrees"),
    expire: () => stage.expire(id),
    start: () =>
      startWorker([...words, "--agent", "claude,codex"], { ...keys, HOME: own, PATH: `${bin}:${process.env.PATH}` }),
  };
}
/** How long an attempt takes on this machine now, so that kills come at every step of one. */
let milliseconds = 4_000;

describe(`${kills} kills during a fallback (KILL_SEED=${seed})`, { timeout: 300_000 }, () => {
  it.each(Array.from({ length: kills }, (_, n) => [n, at(victims, n % 3)] as const))(
    "A kill during a fallback loses no work, and each attempt's cost is its own agent's (%i: %s)",
    async (n, victim) => {
      const round = await openRound(`F${n}`);
      const hit = Math.floor(draw() * 2);
      const moment = draw();
      for (let tries = 0; tries < 8; tries += 1) {
        const worker = round.start();
        await worker.said(/Claimed/);
        const begun = performance.now();
        if (tries === hit && victim === "agent") {
          await stage.killAgent(round.worktrees, worker, moment * 1_500);
        } else if (tries === hit) {
          await wait(moment * milliseconds);
          await stage.kill(victim, worker.process);
        }
        await worker.ended;
        if (tries !== hit) milliseconds = performance.now() - begun;
        if ((await round.job()).status === "done") break;
        await round.expire();
      }
      const job = await round.job();
      expect(job).toMatchObject({ status: "done" });
      const agents = job.attempts.map(({ agent }) => agent);
      expect(agents).toEqual(agents.toSorted());
      expect(new Set(agents)).toEqual(new Set(["claude", "codex"]));
      const files = round.origin("ls-tree", "--name-only", String(job.branch)).split("\n");
      expect(files).toEqual(expect.arrayContaining(["claude-1.txt", expect.stringMatching(/^codex-\d/)]));
      expect(existsSync(two)).toBe(false);
      const ends = job.attempts.filter(({ outcome }) => outcome !== "lost");
      for (const { agent, usage } of ends) {
        const [cost] = usage?.costs ?? [];
        if (agent !== "claude" && agent !== "codex") throw new Error(`Who is ${agent}?`);
        // Half turns count, too.
        const turns = Number(cost?.cost ?? 0) / (prices[agent] / 2);
        expect(Math.abs(turns - Math.round(turns)), `${agent}: ${cost?.cost}`).toBeLessThan(1e-6);
      }
      expect(Number(job.attempts.at(-1)?.usage?.costs[0]?.cost)).toBeGreaterThan(0);
    },
  );
});
