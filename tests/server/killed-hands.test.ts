import { existsSync, mkdirSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { afterAll, describe, expect, it } from "vitest";
import { getAgentJob } from "~/nouns/agent-jobs/operations.server";
import { at } from "../setup/world";
import { gitIn, startRun } from "../worker/fixture";
import { fakeAgent, startWorker, type WorkerProcess } from "../worker/worker-process";
import { watchBoard } from "./board-watch";
import { kills, openKillStage, seed } from "./kill-stage";

/** A person takes a task from its agent and gives it back while each side is killed with -9 at random moments. */
const stage = await openKillStage("Take and give");
const { store, ada, actor, token, gate, draw } = stage;

/** Who dies while the task is taken, and who while it is given back. */
const takers = ["take", "worker", "service"] as const;
const givers = ["give", "terminal", "take again", "service"] as const;

/** How long the board took to show who has the task, and that no one has it any more, by who was killed. */
const shown: Record<string, number[]> = {};
function note(what: string, milliseconds: number): void {
  shown[what] = [...(shown[what] ?? []), milliseconds].toSorted((one, other) => one - other);
}
afterAll(() => {
  for (const [what, delays] of Object.entries(shown)) {
    const [middle, longest] = [at(delays, delays.length >> 1), delays.at(-1)];
    console.log(`The board, ${what}: ${middle} ms, at most ${longest} ms (${delays.length} times)`);
  }
});

/** How long each takes on this machine now, so that kills come at every step of one. */
const milliseconds = { take: 2_500, give: 2_500 };

async function openRound(code: string) {
  const run = await startRun(store, ada, { code });
  const { folder, origin, place, words } = stage.cloneFor(code);
  const own = join(folder, "agent");
  mkdirSync(own);
  const heard = join(folder, "heard.jsonl");
  const agent = (ending: string) =>
    `acp:HOME='${own}' FAKE_ENDING=${ending} FAKE_HEARD='${heard}' FAKE_MILLISECONDS=1 exec '${process.execPath}' '${fakeAgent}'`;
  const worktrees = join(folder, "work/workers/here/worktrees");
  const job = async () => getAgentJob(actor, { job_id: at((await run.read()).jobs, 0).id });
  const { id } = await job();
  return {
    id,
    origin,
    job,
    board: watchBoard(gate.url, token, actor, run.productId),
    /** Where the agent works, and where the person does: its conversation is known by the folder. */
    folder: join(worktrees, `${id}-1`),
    work: (ending: string) => startWorker([...words, "--agent", agent(ending)]),
    hand(command: keyof typeof milliseconds, ...further: string[]) {
      const begun = performance.now();
      const hands = startWorker([command, ...further, ...place], { BACKLOOM_URL: gate.url, BACKLOOM_TOKEN: token });
      void hands.ended.then((exit) => {
        if (exit === 0) milliseconds[command] = performance.now() - begun;
      });
      return hands;
    },
    writers: () => readdirSync("/proc").filter((name) => /^\d+$/.test(name) && cwdOf(name).startsWith(worktrees)),
  };
}
type Round = Awaited<ReturnType<typeof openRound>>;

function cwdOf(pid: string): string {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return "";
  }
}

/** Until the agent has committed; what it has is in no one's hands but its worktree. */
async function firstCommit({ folder }: Round, worker: WorkerProcess): Promise<void> {
  const subjects = () => (existsSync(join(folder, "first.txt")) ? gitIn(folder)("log", "--format=%s") : "");
  await expect.poll(subjects, { timeout: 120_000, message: worker.output() }).toMatch(/^first$/m);
}

/** Takes until it has the task while the victim dies; the person tries again, as people do. */
async function takeThrough(round: Round, worker: WorkerProcess, victim: (typeof takers)[number]) {
  let taking = round.hand("take", "T-1", "--now");
  await wait(draw() * milliseconds.take);
  await stage.kill(victim, (victim === "worker" ? worker : taking).process);
  for (let tries = 0; tries < 6; tries += 1) {
    // Who holds it is dead, unless the agent had ended and the person has it.
    const isDead = victim === "worker" && (await round.job()).holder === null;
    if (isDead) await stage.expire(round.id);
    if ((await taking.ended) === 0) return taking.output();
    taking = round.hand("take", "T-1", "--now");
  }
  throw new Error(`It cannot be taken:\n${taking.output()}\n${worker.output()}`);
}

/** Hands in what the person has while the victim dies. A dead terminal leaves it to the next agent. */
async function giveThrough(round: Round, victim: (typeof givers)[number]): Promise<string> {
  const { keeper } = JSON.parse(readFileSync(`${round.folder}.taken`, "utf8"));
  const terminal = { kill: () => process.kill(Number.parseInt(keeper, 10), "SIGKILL") };
  if (victim === "take again") {
    await stage.kill(victim, terminal);
    const again = round.hand("take", "T-1");
    expect(await again.ended, again.output()).toBe(0);
    expect(again.output()).toContain(round.folder);
  }
  if (victim === "terminal") {
    await stage.kill(victim, terminal);
    await stage.expire(round.id);
    const next = round.work("patient");
    await next.ended;
    return next.output();
  }
  const giving = round.hand("give", "--test", "test -e by-hand.txt");
  await wait(draw() * milliseconds.give);
  if (victim !== "take again") await stage.kill(victim, giving.process);
  await giving.ended;
  if ((await round.job()).status === "done") return giving.output();
  const again = round.hand("give", "--test", "test -e by-hand.txt");
  await again.ended;
  return `${giving.output()}\n${again.output()}`;
}

describe(`${kills} kills on both sides (KILL_SEED=${seed})`, { timeout: 300_000 }, () => {
  it.each(
    Array.from({ length: Math.ceil(kills / 2) }, (_, n) => {
      return [n, at(takers, n % 3), at(givers, n % 4)] as const;
    }),
  )("Kills during a handover leave one writer and every commit (%i: %s, then %s)", async (n, taker, giver) => {
    const round = await openRound(`H${n}`);
    const worker = round.work("commits");
    await firstCommit(round, worker);
    const said = await takeThrough(round, worker, taker);
    const place = /cd '(.+?)'/.exec(said)?.[1] ?? "";
    expect(place).toBe(round.folder);
    expect(round.writers(), worker.output()).toEqual([]);
    expect(existsSync(join(place, "first.txt")), said).toBe(true);
    const taken = await round.job();
    expect(taken).toMatchObject({ holder: "person", status: "running" });
    note(`taken, ${taker} killed`, await round.board.shows("ada", taken.claimed_at));

    writeFileSync(join(place, "by-hand.txt"), "by hand\n");
    const git = gitIn(place);
    git("add", "by-hand.txt");
    git("commit", "--quiet", "-m", "By hand");
    writeFileSync(join(place, "left.txt"), "left\n");
    const given = await giveThrough(round, giver);
    const job = await round.job();
    expect(job, given).toMatchObject({ status: "done", holder: null });
    note(`given, ${giver} killed`, await round.board.shows(null, job.finished_at));
    round.board.close();
    const files = round.origin("ls-tree", "--name-only", String(job.branch)).split("\n");
    expect(files, given).toEqual(expect.arrayContaining(["first.txt", "by-hand.txt", "left.txt"]));
    const sessions = job.attempts.flatMap(({ session_id }) => session_id ?? []);
    expect(new Set(sessions)).toEqual(new Set(["fake-1"]));
    await worker.end("SIGTERM");
  });
});
