import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { getAgentJob } from "~/nouns/agent-jobs/operations.server";
import { updateProduct } from "~/nouns/products/operations.server";
import { getSprintRun, resumeSprint } from "~/nouns/sprint-runs/operations.server";
import { at } from "../setup/world";
import { gitIn, openStage, startRun } from "./fixture";

const { t, ada, actor, token, home, repo, git, serveOnce } = await openStage("--heartbeat", "0.3");

/** A remote that takes only refs of a pattern of the shell, and a clone of it. */
function openRemote(name: string, taken: string, hook = "pre-receive") {
  const origin = join(home, `${name}.git`);
  const clone = join(home, name);
  git("clone", "--quiet", "--bare", repo, origin);
  git("clone", "--quiet", origin, clone);
  const judge = `case "$ref" in ${taken}) ;; *) echo "no $ref"; exit 1;; esac`;
  const rule = hook === "update" ? `ref=$1; ${judge}` : `while read -r old new ref; do ${judge}; done`;
  writeFileSync(join(origin, "hooks", hook), `#!/bin/sh\n${rule}\n`, { mode: 0o755 });
  return { clone, shared: gitIn(origin) };
}

const { clone, shared } = openRemote("clone", "refs/heads/agents/*|refs/backloom/*");

const work = (product: string, exec: string, from = clone, by = token) =>
  serveOnce(product, ["--token", by, "--repo", from, "--name", product, "--exec", exec]);

const branches = () => shared("branch", "--format", "%(refname:short)").split("\n");

it("A story's branch and the kept work of a failed attempt are pushed below the product's branch prefix", {
  tags: "thorough",
}, async () => {
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

it("A run that began before the branch prefix changed pushes its branches under the old one", {
  tags: "thorough",
}, async () => {
  const product = { branch_prefix: "agents" };
  const run = await startRun(t, ada, { code: "MOVES", product, strategy: "SPRINT" });
  await updateProduct(actor, { product_id: run.productId, branch_prefix: "bots" });
  const { branch } = at((await run.read()).jobs, 0);
  await work("MOVES", "echo done > done.txt");
  expect(branches()).toContain(branch);
});

it("A remote's main branch gets no work, no matter what the service says", async () => {
  const run = await startRun(t, ada, { code: "MAIN", product: { branch_prefix: "agents" } });
  shared("branch", "agents/main", "main");
  shared("symbolic-ref", "HEAD", "refs/heads/agents/main");
  gitIn(clone)("fetch", "--quiet");
  gitIn(clone)("remote", "set-head", "origin", "agents/main");
  await t.query`update agent_jobs set branch = 'agents/main' where product_id = ${run.productId}`;
  const before = shared("rev-parse", "agents/main");
  expect(await work("MAIN", "echo x > x")).toContain("is the main branch");
  expect(shared("rev-parse", "agents/main")).toBe(before);
});

describe("a remote that refuses the notes where work begins", { tags: "thorough", timeout: 120_000 }, () => {
  it.each(["pre-receive", "update"])("A remote whose %s hook refuses Backloom's notes gets the work", async (hook) => {
    const strict = openRemote(hook, "refs/heads/agents/*", hook);
    const code = hook.toUpperCase();
    const run = await startRun(t, ada, { code, product: { branch_prefix: "agents" } });
    await work(code, "echo half > half.txt; exit 1", strict.clone);
    const { id } = at((await run.read()).jobs, 0);
    expect(strict.shared("ls-tree", "--name-only", `agents/kept/${id}-1`)).toBe("half.txt");
    const next = await resumeSprint(actor, { sprint_id: String((await run.read()).sprint_id) });
    await work(code, "test -f half.txt && echo whole > whole.txt", strict.clone);
    const ended = await getSprintRun(actor, { sprint_run_id: String(next?.id) });
    expect(ended).toMatchObject({ status: "done" });
    const files = strict.shared("ls-tree", "--name-only", String(ended.branch)).split("\n");
    expect(files).toEqual(["half.txt", "whole.txt"]);
    expect(strict.shared("for-each-ref", "refs/backloom")).toBe("");
  });

  it("Work that the remote refuses stays in the clone, on the branch that the job names", async () => {
    const closed = openRemote("closed", "nothing");
    const run = await startRun(t, ada, { code: "CLOSED", product: { branch_prefix: "agents" } });
    await work("CLOSED", "echo x > x", closed.clone);
    const job = await getAgentJob(actor, { job_id: at((await run.read()).jobs, 0).id });
    const kept = `agents/kept/${job.id}-1`;
    expect(job).toMatchObject({ status: "failed", failure_reason: expect.stringContaining(kept) });
    expect(gitIn(closed.clone)("ls-tree", "--name-only", kept)).toBe("x");
  });
});

it("Two products of one name in one repository share no branch where their prefixes differ", {
  tags: "thorough",
}, async () => {
  const bea = await t.createUser({ username: "bea" });
  const owners = [
    { owner: ada, by: token, prefix: "agents" },
    { owner: bea, by: await t.createToken(bea), prefix: "agents/kept" },
  ];
  const ends = [];
  for (const { owner, by, prefix } of owners) {
    const wish = { code: "TWINS", product: { branch_prefix: prefix } };
    const run = await startRun(t, owner, wish);
    await work("TWINS", `echo x > ${owner.username}`, repo, by);
    const { branch } = await run.read();
    ends.push(String(branch).slice(prefix.length));
    expect(branch).toBe(`${prefix}${ends.at(-1)}`);
    expect(git("ls-tree", "--name-only", String(branch))).toBe(owner.username);
  }
  expect(ends[0]).toBe(ends[1]);
});

describe("a branch with the name of the prefix", { tags: "thorough", timeout: 120_000 }, () => {
  it.each(["here", "in the remote"])(
    "A branch with the name of the prefix (%s) is told, and the job continues once it is renamed",
    async (place) => {
      const { clone: folder, shared: there } = openRemote(place, "*");
      const where = place === "here" ? gitIn(folder) : there;
      where("branch", "backloom", "main");
      const code = place === "here" ? "NEAR" : "FAR";
      const run = await startRun(t, ada, { code });
      await work(code, "echo x > x", folder);
      const { id, branch } = at((await run.read()).jobs, 0);
      expect(await getAgentJob(actor, { job_id: id })).toMatchObject({
        status: "queued",
        failure_reason: `Git cannot have the branch ${branch} next to the branch backloom: rename backloom, and the job continues, or set another branch prefix (branch_prefix) in the product's settings and start a new run`,
      });
      const other = await startRun(t, ada, { code: `${code}2`, product: { branch_prefix: "bots" } });
      await work(`${code}2`, "echo x > x", folder);
      expect(await other.read()).toMatchObject({ status: "done" });
      where("branch", "-m", "backloom", "theirs");
      await t.query`update agent_jobs set not_before = null where id = ${id}`;
      await work(code, "echo x > x", folder);
      expect(await run.read()).toMatchObject({ status: "done" });
    },
  );
});
