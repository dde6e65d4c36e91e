import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { getAgentJob } from "~/nouns/agent-jobs/operations.server";
import { at } from "../setup/world";
import { gitIn, openStage, startRun } from "./fixture";
import { endOf, startWorker } from "./worker-process";

const { t, app, ada, actor, token, home, repo, git } = await openStage();
const touched = join(home, "touched");
const common = ["--url", app.origin, "--work-dir", join(home, "work"), "--once"];

function start(code: string, words: string[], environment: Record<string, string> = {}) {
  return startWorker([...common, "--name", `worker-${code}`, ...words], { BACKLOOM_TOKEN: token, ...environment });
}

const jobOf = async (run: Awaited<ReturnType<typeof startRun>>) =>
  getAgentJob(actor, { job_id: at((await run.read()).jobs, 0).id });

it.each([
  ["FILE", `file://${repo}`],
  ["PATH", repo],
  ["OPTION", "--upload-pack=touch"],
  ["EXT", "ext::sh"],
  ["DASH", "ssh://-oProxyCommand=x/repo"],
  ["HOST", "git@-oProxyCommand=x:repo"],
  ["NONE", ""],
])("%s: An unusable repository is told before a job is taken, and no job loses a retry", async (code, repo_url) => {
  const run = await startRun(t, ada, { code, product: { repo_url } });
  const worker = start(code, ["--product", code, "--exec", `touch ${touched}`]);
  expect(await worker.ended).toBe(1);
  expect(worker.output()).toMatch(repo_url ? /is not an https, ssh or git@ URL/ : /names no repository/);
  expect(worker.output()).not.toContain("    at ");
  expect(await jobOf(run)).toMatchObject({ status: "queued", attempt: 0, retry_count: 0 });
  expect(() => readFileSync(touched)).toThrow();
});

it("A job on a branch that is none of Backloom's changes nothing and says why", async () => {
  const run = await startRun(t, ada, { code: "BRANCH" });
  await t.query`update agent_jobs set branch = 'main' where product_id = ${run.productId}`;
  const before = git("rev-parse", "main");
  const words = ["--product", "BRANCH", "--repo", repo, "--exec", `touch ${touched}`];
  expect(await start("BRANCH", words).ended).toBe(0);
  expect(git("rev-parse", "main")).toBe(before);
  expect(() => readFileSync(touched)).toThrow();
  expect((await jobOf(run)).failure_reason).toContain("none of Backloom's");
});

it("A job cannot name the commit that its work is compared with", async () => {
  const run = await startRun(t, ada, { code: "BASE" });
  const branch = String((await jobOf(run)).branch);
  const root = git("rev-parse", "main");
  const work = git("commit-tree", "-p", root, "-m", "Someone's", treeWith("theirs.txt"));
  git("update-ref", `refs/heads/${branch}`, work);
  await t.query`update agent_jobs set base_sha = ${root} where product_id = ${run.productId}`;
  const words = ["--product", "BASE", "--repo", repo, "--exec", "true"];
  expect(await start("BASE", words).ended).toBe(0);
  expect(await jobOf(run)).toMatchObject({ status: "skipped", verify_result: "EMPTY" });
});

function treeWith(name: string): string {
  const file = join(home, name);
  writeFileSync(file, "x\n");
  const index = join(home, "index");
  const own = gitIn(repo);
  const blob = own("hash-object", "-w", file);
  const words = ["update-index", "--add", "--cacheinfo", `100644,${blob},${name}`];
  process.env.GIT_INDEX_FILE = index;
  own(...words);
  const tree = own("write-tree");
  delete process.env.GIT_INDEX_FILE;
  return tree;
}

it("A worker with --repo asks for --product when there are several products", async () => {
  const run = await startRun(t, ada, { code: "SEVERAL" });
  const worker = start("several", ["--repo", repo, "--exec", `touch ${touched}`]);
  expect(await worker.ended).toBe(1);
  expect(worker.output()).toMatch(/--repo serves one product: say which with --product .*SEVERAL/);
  expect(worker.output()).not.toContain("    at ");
  expect(await jobOf(run)).toMatchObject({ status: "queued", attempt: 0 });
});

it("A worker with --repo serves the only product of someone who has no other", async () => {
  const grace = await t.createUser({ username: "grace" });
  const run = await startRun(t, grace, { code: "ONLY" });
  const BACKLOOM_TOKEN = await t.createToken(grace);
  const words = ["--repo", repo, "--exec", "echo x > x"];
  await endOf(start("only", words, { BACKLOOM_TOKEN }));
  expect(await run.read()).toMatchObject({ status: "done" });
});

it("A worker for a product that does not exist says so in a line", async () => {
  const worker = start("unknown", ["--product", "NOWHERE", "--exec", "true"]);
  expect(await worker.ended).toBe(1);
  expect(worker.output()).toContain("You have no product NOWHERE");
  expect(worker.output()).not.toContain("    at ");
});

it("Commands and wanted hooks get the person's environment, without the token and variables of the worker", async () => {
  const run = await startRun(t, ada, { code: "SECRET" });
  const seen = join(home, "seen");
  for (const hook of ["post-checkout", "post-commit"]) {
    writeFileSync(join(repo, ".git/hooks", hook), `#!/bin/sh\nenv >> ${seen}\n`, { mode: 0o755 });
  }
  const words = ["--product", "SECRET", "--repo", repo, "--exec", `env >> ${seen}; echo x > x`];
  const worker = start("SECRET", [...words, "--hooks", "--quota", `env >> ${seen}; echo 90`], {
    NODE_ENV: "production",
    npm_lifecycle_event: "worker",
    npm_config_production: "true",
    PATH: `/nowhere/node_modules/.bin:${process.env.PATH}`,
    MY_OWN: "kept",
  });
  expect(await worker.ended, worker.output()).toBe(0);
  expect(await run.read()).toMatchObject({ status: "done" });
  const environment = readFileSync(seen, "utf8");
  expect(environment.match(/^MY_OWN=kept$/gm)?.length).toBeGreaterThanOrEqual(4);
  expect(environment).not.toContain(token);
  expect(environment).not.toMatch(/^(NODE_ENV|npm_\w+)=/m);
  expect(environment).not.toContain("/nowhere/node_modules/.bin");
});
