import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { whyNotMoving } from "~/nouns/agent-jobs/operations.server";
import { listLandings } from "~/nouns/landings/operations.server";
import { forgeKinds } from "../../../worker/base/forge-kinds";
import { at } from "../../setup/world";
import { gitIn, makeRepository, openStage, startRun } from "../fixture";
import { flags } from "../flags";
import { read, startWorker } from "../worker-process";
import { redCommits, writeAgent, writeRepository } from "./landing-world";
import { openForgeWorld, tokenOf } from "./world";

const { t, app, ada, actor, token, home } = await openStage();
const patience = { timeout: 120_000, interval: 200 };
const { command, prompts } = writeAgent(home);

function serve(code: string, name: string, repo: string, ...more: string[]) {
  return startWorker(
    [
      ...flags({ url: app.origin, token, "work-dir": join(home, `work-${name}`), repo, name, product: code }),
      ...flags({ exec: command, sandbox: "off" }),
      ...more,
    ],
    { BACKLOOM_FORGE_POLL_SECONDS: "2", BACKLOOM_FORGE_TOKEN: tokenOf("github") },
  );
}

async function landings(productId: string) {
  const rows = await t.query`select branch, state, words, head_sha, ours_sha from landings
    where product_id = ${productId} order by created_at, id`;
  return rows;
}

const endsOf = async (productId: string) => (await landings(productId)).map(({ state }) => state).sort();

async function statusesOf(productId: string) {
  const rows = await t.query`select t.status, j.merged_at is not null as merged
    from tasks t join agent_jobs j on j.task_id = t.id where t.product_id = ${productId}`;
  return rows;
}

describe.each(forgeKinds)("the merge queue at %s", (kind) => {
  it("The merge queue lands pull requests one by one, returns those that conflict, and keeps main green", async () => {
    const forge = await openForgeWorld(kind, home);
    const code = `LAND-${kind}`;
    const repo = join(home, `repo-${kind}`);
    const git = forge.clone(repo);
    writeRepository(repo, `forge: ${kind}\ntest: sh check.sh\n`);
    forge.push(git);
    const run = await startRun(t, ada, {
      code,
      strategy: "STORY",
      stories: ["Add letter a", "Add letter b", "Say one"],
      product: { pull_requests: "open", landing: "queue" },
    });
    const words = [
      ...flags({ url: app.origin, token, "work-dir": join(home, `work-${kind}`), repo, name: kind }),
      ...flags({ product: code, exec: command, sandbox: "off", pr: true }),
    ];
    const environment = { BACKLOOM_FORGE_TOKEN: tokenOf(kind), BACKLOOM_FORGE_POLL_SECONDS: "2" };
    startWorker(words, environment);

    await expect.poll(() => forge.pulls.map(({ state }) => state), patience).toEqual(["merged", "merged", "merged"]);
    await expect.poll(() => endsOf(run.productId), patience).toEqual(["landed", "landed", "landed", "test_failed"]);
    expect(redCommits(forge.bare)).toEqual([]);
    for (const row of await statusesOf(run.productId)) {
      expect(row).toEqual({ status: "DONE", merged: true });
    }
    const ends = await landings(run.productId);
    expect(ends.find(({ state }) => state === "test_failed")?.words).toContain("a and b without both");
    expect(read(prompts)).toContain("    | a and b without both");
    const list = await listLandings(actor, { product_id: run.productId });
    expect(list).toMatchObject({ landing: "queue", queue: [] });
    expect(list.ended).toHaveLength(4);
  }, 400_000);
});

it("The merge queue waits for CI of the merged state, and returns what is red there", async () => {
  const forge = await openForgeWorld("github", join(home, "ci"));
  const repo = join(home, "repo-ci");
  const git = forge.clone(repo);
  writeRepository(repo, "forge: github\n");
  forge.push(git);
  const run = await startRun(t, ada, {
    code: "LAND-CI",
    strategy: "STORY",
    stories: ["Add letter a", "Add letter b"],
    product: { pull_requests: "open", landing: "queue" },
  });
  serve("LAND-CI", "ci", repo, "--pr");
  await expect.poll(() => forge.pulls.length, patience).toBe(2);
  const [first, second] = [at(forge.pulls, 0), at(forge.pulls, 1)];
  const say = (pull: typeof first, state: "passed" | "failed", log = "") => {
    pull.ci = { sha: forge.headOf(pull.branch), state, log };
  };
  const head = forge.headOf(second.branch);
  say(first, "passed");
  await expect.poll(() => first.state, patience).toBe("merged");

  // The other one was green before, and is tested again with the first in it.
  say(second, "passed");
  await expect.poll(() => forge.headOf(second.branch), patience).not.toBe(head);
  await expect.poll(() => endsOf(run.productId), patience).toEqual(["landed", "waiting_ci"]);
  say(second, "failed", "a and b without both");
  await expect.poll(() => endsOf(run.productId), patience).toEqual(["landed", "test_failed"]);
  const failed = forge.headOf(second.branch);
  await expect.poll(() => forge.headOf(second.branch), patience).not.toBe(failed);
  say(second, "passed");
  await expect.poll(() => second.state, patience).toBe("merged");
  expect(redCommits(forge.bare)).toEqual([]);
}, 400_000);

it("A landing with --land pushes to the main branch, and another worker takes over from a killed one", async () => {
  const bare = join(home, "plain.git");
  const repo = join(home, "repo-plain");
  const git = makeRepository(repo);
  writeRepository(repo, `test: sh ${join(home, "gate.sh")}; sh check.sh\n`);
  const gate = join(home, "gate");
  gitIn(home)("init", "--quiet", "--bare", "--initial-branch=main", bare);
  git("remote", "add", "origin", bare);
  git("push", "--quiet", "origin", "main");
  writeFileSync(
    join(home, "gate.sh"),
    // Tests of jobs go through; that of a landing waits.
    `[ -n "$BACKLOOM_JOB_ID" ] || { echo merge >> ${gate}.reached; while [ ! -e ${gate} ]; do sleep 0.1; done; }\n`,
  );
  const run = await startRun(t, ada, {
    code: "LAND-PLAIN",
    strategy: "STORY",
    stories: ["Add letter a", "Add letter b", "Say one"],
    product: { landing: "queue" },
  });
  const first = serve("LAND-PLAIN", "plain", repo, "--land");
  await expect.poll(() => endsOf(run.productId), patience).toEqual(["working"]);
  await expect.poll(() => read(`${gate}.reached`), patience).toContain("merge");
  // A killed worker would keep the lease of a job it was at.
  await expect
    .poll(async () => (await run.read()).jobs.map(({ status }) => status), patience)
    .toEqual(["done", "done", "done"]);
  await first.end("SIGKILL");
  // A person pushes: the test begins again, and one branch no longer merges.
  writeFileSync(join(repo, "line.txt"), "two\n");
  git("commit", "--quiet", "--all", "-m", "Two");
  git("push", "--quiet", "origin", "main");
  writeFileSync(gate, "");
  await t.query`update landings set lease_until = now() where product_id = ${run.productId}`;
  serve("LAND-PLAIN", "plain-2", repo, "--land");
  await expect
    .poll(() => endsOf(run.productId), patience)
    .toEqual(["conflict", "landed", "landed", "landed", "test_failed"]);
  const ends = await landings(run.productId);
  expect(ends.find(({ state }) => state === "conflict")?.words).toBe(
    "File line.txt\nIn this work:\none\nOn the main branch:\ntwo",
  );
  expect(read(prompts)).toContain("    | On the main branch:");
  expect(redCommits(bare)).toEqual([]);
  expect((await statusesOf(run.productId)).every(({ merged }) => merged)).toBe(true);
}, 400_000);

it("A worker without --pr or --land begins no landing, and why_not_moving says the place in the queue", async () => {
  const repo = join(home, "repo-alone");
  makeRepository(repo);
  writeRepository(repo, "test: sh check.sh\n");
  const run = await startRun(t, ada, {
    code: "LAND-NONE",
    strategy: "STORY",
    stories: ["Add letter a"],
    product: { landing: "queue" },
  });
  await serve("LAND-NONE", "alone", repo, "--until-idle").ended;
  const { queue, ended } = await listLandings(actor, { product_id: run.productId });
  expect([queue.length, ended]).toEqual([1, []]);
  const { jobs } = await run.read();
  const why = await whyNotMoving(actor, { kind: "job", id: at(jobs, 0).id });
  expect(why.text).toContain("Its branch is number 1 in the merge queue.");
  expect(gitIn(repo)("rev-list", "--count", "main")).toBe("2");
}, 120_000);
