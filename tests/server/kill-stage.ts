import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { afterAll, expect, vi } from "vitest";
import { sweep } from "~/nouns/schedules/operations.server";
import { ownDataDir } from "../embedded/own-stack";
import { drawFrom } from "../setup/drawn-numbers";
import { gitIn, makeHome, makeRepository } from "../worker/fixture";
import { openToolGate } from "../worker/tool-gate";
import { isAlive, read, type WorkerProcess } from "../worker/worker-process";
import { killService, openOwnDatabase, startService } from "./own-service";

/** `KILLS=100` for the full number, `KILL_SEED` for another draw. */
export const kills = Number(process.env.KILLS ?? 6);
export const seed = Number(process.env.KILL_SEED ?? 1);

/** A service as a process that can be killed, behind an address that stays, someone with a token, and a repository. */
export async function openKillStage(title: string) {
  const dataDir = await ownDataDir();
  let service = await startService(dataDir);
  const store = await openOwnDatabase(dataDir);
  const ada = await store.createUser({ username: "ada" });
  const token = await store.createToken(ada);
  const home = makeHome();
  const repo = join(home, "repo");
  makeRepository(repo);
  const gate = await openToolGate(service.port);
  const hit: Record<string, number> = {};
  afterAll(() => console.log(`${title} (KILL_SEED=${seed}), kills that hit: ${JSON.stringify(hit)}`));
  return {
    store,
    ada,
    token,
    home,
    repo,
    gate,
    actor: store.actorOf(ada),
    draw: drawFrom(seed),
    /** Kills the service or a process with -9; false if it has ended already. */
    async kill(victim: string, one: { kill(signal: "SIGKILL"): boolean }): Promise<boolean> {
      const isHit = victim === "service" || one.kill("SIGKILL");
      if (victim === "service") {
        await killService(service);
        service = await startService(dataDir);
        // Someone else may have taken the old port. The worker's address stays.
        gate.moveTo(service.port);
      }
      if (isHit) hit[victim] = (hit[victim] ?? 0) + 1;
      return isHit;
    },
    /** The same for the agent or command that works in a worker's folder, so long after it has begun. */
    async killAgent(worktrees: string, worker: WorkerProcess, after: number): Promise<boolean> {
      const found = vi.waitFor(() => expect(pidIn(worktrees)).toBeGreaterThan(0), { timeout: 60_000, interval: 10 });
      await Promise.race([found, worker.ended]);
      await wait(after);
      const pid = pidIn(worktrees);
      if (pid === undefined || !isAlive(pid)) return false;
      process.kill(-pid, "SIGKILL");
      hit.agent = (hit.agent ?? 0) + 1;
      return true;
    },
    /** The lease of who died is over, and so is a limit. */
    async expire(jobId: string): Promise<void> {
      await store.query`update agent_jobs set not_before = null, lease_until = least(lease_until,
        now() - interval '1 second') where id = ${jobId}`;
      await sweep(store.database, {});
    },
    /** A remote, a clone of it, and how a worker is started there. */
    cloneFor(code: string) {
      const folder = join(home, code);
      const place = ["--work-dir", join(folder, "work"), "--repo", join(folder, "clone")];
      place.push("--product", code, "--name", "here");
      const words = ["--url", gate.url, "--token", token, "--heartbeat", "0.3", "--once", ...place];
      gitIn(home)("clone", "--quiet", "--bare", repo, join(folder, "origin.git"));
      gitIn(folder)("clone", "--quiet", "origin.git", "clone");
      return { folder, place, words, origin: gitIn(join(folder, "origin.git")) };
    },
  };
}

/** The process group of the agent or command at work, which a worker notes in its folder of worktrees. */
function pidIn(worktrees: string): number | undefined {
  if (!existsSync(worktrees)) return undefined;
  const notes = readdirSync(worktrees).filter((name) => name.endsWith(".files"));
  const [text] = notes.map((name) => read(join(worktrees, name, "command.pid"))).filter(Boolean);
  return text === undefined ? undefined : JSON.parse(text).pid;
}
