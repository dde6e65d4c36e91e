import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { getAgentJob } from "~/nouns/agent-jobs/operations.server";
import { updateProduct } from "~/nouns/products/operations.server";
import { resumeSprint } from "~/nouns/sprint-runs/operations.server";
import { at } from "../db/world";
import { gitIn, openStage, startRun } from "./fixture";
import { startWorker } from "./worker-process";

const { t, app, ada, token, home, repo, git } = await openStage();
const actor = t.actorOf(ada);
const origin = join(home, "origin.git");
const clone = join(home, "clone");
git("clone", "--quiet", "--bare", repo, origin);
git("clone", "--quiet", origin, clone);
const shared = gitIn(origin);
const rule =
  'while read -r old new ref; do case "$ref" in refs/heads/agents/*|refs/backloom/*) ;; *) echo "no $ref"; exit 1;; esac; done';
writeFileSync(join(origin, "hooks/pre-receive"), `#!/bin/sh\n${rule}\n`, { mode: 0o755 });

async function work(product: string, exec: string) {
  const place = ["--url", app.origin, "--token", token, "--work-dir", join(home, "work")];
  const served = ["--repo", clone, "--product", product, "--name", product, "--heartbeat", "0.3"];
  const worker = startWorker([...place, ...served, "--once", "--exec", exec]);
  expect(await worker.ended, worker.output()).toBe(0);
  return worker.output();
}

const branches = () => shared("branch", "--format", "%(refname:short)").split("\n");

describe("a remote that takes branches below agents/ only", { timeout: 120_000 }, () => {
  it("gets a story's branch, and what a failed attempt left", async () => {
    const product = { branch_prefix: "agents" };
    const run = await startRun(t, ada, { code: "RULES", product, strategy: "STORY" });
    const first = at((await run.read()).jobs, 0);
    expect(first.branch).toMatch(/^agents\//);
    await work("RULES", "echo half > half.txt; exit 1");
    const job = await getAgentJob(actor, { job_id: first.id });
    const kept = `agents/kept/${job.id}-1`;
    expect(branches()).toContain(kept);
    await resumeSprint(actor, { sprint_id: String((await run.read()).sprint_id) });
    await work("RULES", "test -f half.txt && echo whole > whole.txt");
    const { branch } = at((await run.read()).jobs, 0);
    expect(shared("ls-tree", "--name-only", String(branch))).toContain("whole.txt");
  });

  it("gets the branches of a run that began before the prefix changed", async () => {
    const product = { branch_prefix: "agents" };
    const run = await startRun(t, ada, { code: "MOVES", product, strategy: "SPRINT" });
    await updateProduct(actor, { product_id: run.productId, branch_prefix: "bots" });
    const { branch } = at((await run.read()).jobs, 0);
    await work("MOVES", "echo done > done.txt");
    expect(branches()).toContain(branch);
  });

  it("gets nothing on its main branch, whatever the service says", async () => {
    const run = await startRun(t, ada, { code: "MAIN", product: { branch_prefix: "agents" } });
    shared("branch", "agents/main", "main");
    shared("symbolic-ref", "HEAD", "refs/heads/agents/main");
    gitIn(clone)("fetch", "--quiet");
    gitIn(clone)("remote", "set-head", "origin", "agents/main");
    await t.sql.query("update agent_jobs set branch = 'agents/main' where product_id = $1", [
      run.productId,
    ]);
    const before = shared("rev-parse", "agents/main");
    expect(await work("MAIN", "echo x > x")).toContain("is the main branch");
    expect(shared("rev-parse", "agents/main")).toBe(before);
  });
});
