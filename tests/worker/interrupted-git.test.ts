import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { cancelSprintRun } from "~/nouns/sprint-runs/operations.server";
import { interruptible } from "../../worker/base/interruption";
import { git as workersGit } from "../../worker/git/git";
import { makeBarrier } from "./barrier";
import { gitIn, makeRepository, openStage, startRun } from "./fixture";
import { isAlive } from "./worker-process";

const { t, ada, actor, home, serve } = await openStage();

/** A clone, as a person has one, with its remote. */
function makeClone(name: string) {
  const folder = join(home, `${name}-origin`);
  const origin = makeRepository(folder);
  const repo = join(home, `${name}-clone`);
  origin("clone", "--quiet", folder, repo);
  return { origin, repo, git: gitIn(repo) };
}

it.each([
  [
    "by a remote that does not answer",
    "FETCH",
    (repo: string, folder: string) => {
      const { script, ...hold } = makeBarrier(folder, 'exec git-upload-pack "$@"');
      gitIn(repo)("config", "remote.origin.uploadpack", script);
      return hold;
    },
  ],
  [
    "by a hook when its folder is made",
    "CHECKOUT",
    (repo: string, folder: string) => hook(repo, folder, "post-checkout"),
  ],
  ["by a hook when the work is pushed", "PUSH", (repo: string, folder: string) => hook(repo, folder, "pre-push")],
])("A cancel while git of the worker is held up %s ends it, and leaves nothing half done", async (_how, code, hold) => {
  const { repo, git, origin } = makeClone(code);
  const folder = join(home, `${code}-hold`);
  const held = hold(repo, folder);
  const run = await startRun(t, ada, { code });
  const words = ["--repo", repo, "--exec", "echo made > made", "--heartbeat", "600"];
  const worker = serve(code, [...words, "--once", "--hooks"]);
  await held.reached(worker.output);
  const waiting = readFileSync(join(folder, "pids"), "utf8").trim().split(" ").map(Number);

  await cancelSprintRun(actor, { sprint_run_id: run.runId });
  expect(await worker.ended, worker.output()).toBe(0);
  expect(worker.output()).toMatch(/Told to stop: .*cancelled/);
  expect(waiting.filter(isAlive)).toEqual([]);

  expect(git("worktree", "list").split("\n")).toHaveLength(1);
  expect(git("for-each-ref", "refs/heads/backloom")).toBe("");
  const locks = readdirSync(join(repo, ".git"), { recursive: true, encoding: "utf8" });
  expect(locks.filter((name) => name.endsWith(".lock"))).toEqual([]);
  const job = (await run.read()).jobs[0];
  const kept = origin("for-each-ref", "--format=%(refname:short)", "refs/heads/backloom");
  if (code !== "PUSH") return expect(kept).toBe("");
  expect(kept).toBe(`backloom/kept/${job?.id}-1`);
  expect(origin("show", `${kept}:made`)).toBe("made");
  return undefined;
});

function hook(repo: string, folder: string, name: string) {
  const hold = makeBarrier(folder);
  writeFileSync(join(repo, ".git", "hooks", name), `#!/bin/sh\nexec "${hold.script}"\n`, { mode: 0o755 });
  return hold;
}

it.each(["merge", "rebase"])("An interrupted %s is taken back", async (what) => {
  const folder = join(home, what);
  const git = makeRepository(folder);
  const commit = (branch: string, file: string) => {
    git("checkout", "--quiet", "-B", branch, "main");
    writeFileSync(join(folder, file), `${branch}\n`);
    git("add", "--all");
    git("commit", "--quiet", "-m", branch);
  };
  commit("theirs", "one");
  commit("ours", "two");
  const head = git("rev-parse", "HEAD");
  const place = join(home, `${what}-hold`);
  const hold = hook(folder, place, what === "merge" ? "pre-merge-commit" : "post-checkout");
  const over = new AbortController();
  const words = what === "merge" ? ["--no-edit", "theirs"] : ["--quiet", "theirs"];
  const hooks = ["-c", `core.hooksPath=${join(folder, ".git", "hooks")}`];
  const named = [...hooks, "-c", "user.name=Ada", "-c", "user.email=ada@example.com"];
  const work = interruptible(over.signal, () => workersGit(folder, ...named, what, ...words));
  await hold.reached(() => what);
  over.abort(new Error("cancelled"));
  await expect(work).rejects.toThrow("cancelled");
  expect(git("status", "--porcelain", "--branch")).toBe("## ours");
  expect(git("rev-parse", "HEAD")).toBe(head);
  expect(readdirSync(join(folder, ".git")).filter((name) => /MERGE|rebase|lock/.test(name))).toEqual([]);
});
