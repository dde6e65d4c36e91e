import { randomUUID } from "node:crypto";
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { claimAgentJob, getAgentJob } from "~/nouns/agent-jobs/operations.server";
import { createIdea } from "~/nouns/ideas/operations.server";
import { askAboutIdea } from "~/nouns/questions/operations.server";
import { resumeSprint } from "~/nouns/sprint-runs/operations.server";
import { at } from "../setup/world";
import { makeBarrier } from "./barrier";
import { gitIn, openStage, startRun } from "./fixture";
import { endOf, read } from "./worker-process";

const { t, ada, actor, home, repo, git, serve } = await openStage("--heartbeat", "0.3");
const origin = join(home, "origin.git");
const clone = join(home, "clone");
git("clone", "--quiet", "--bare", repo, origin);
git("clone", "--quiet", origin, clone);
const shared = gitIn(origin);

const start = (product: string, exec: string, ...words: string[]) => startIn({}, product, exec, ...words);
const startIn = (environment: object, product: string, exec: string, ...words: string[]) =>
  serve(product, ["--repo", clone, "--exec", exec, ...words], environment);
const workOnce = (product: string, exec: string, ...words: string[]) => endOf(start(product, exec, "--once", ...words));

type Run = Awaited<ReturnType<typeof startRun>>;
const jobOf = async (run: Run) => getAgentJob(actor, { job_id: at((await run.read()).jobs, 0).id });
const saying = (result: object) => `echo '${JSON.stringify(result)}' > "$BACKLOOM_RESULT_FILE"`;
const filesOf = (ref: string) => shared("ls-tree", "-r", "--name-only", ref).split("\n");

it("The command works on a named branch, with its files inside the folder and unseen by git", async () => {
  const run = await startRun(t, ada, { code: "PLACE" });
  const seen = join(home, "place");
  await workOnce(
    "PLACE",
    `{ git branch --show-current; git status --porcelain; pwd; echo $BACKLOOM_RESULT_FILE; git config branch.$(git branch --show-current).merge; } > ${seen}; echo x > x`,
  );
  const job = await jobOf(run);
  const [branch, folder, result, merge] = read(seen).trim().split("\n");
  expect(branch).toBe(job.branch);
  expect(result).toBe(`${folder}/.backloom/result.json`);
  expect(merge).toBe(`refs/heads/${job.branch}`);
  expect(filesOf(String(job.branch))).toEqual(["x"]);
  expect(gitIn(clone)("branch", "--list", "backloom/*")).toBe("");
});

it("The prompt gives the agent all that is known, and nothing that it cannot know", async () => {
  const run = await startRun(t, ada, { code: "PROMPT" });
  await t.query`update stories set description = 'As a gardener' where product_id = ${run.productId}`;
  const seen = join(home, "prompt.md");
  await workOnce("PROMPT", `cp "$BACKLOOM_PROMPT_FILE" ${seen}; echo x > x`, "--test", "test -f x");
  const prompt = read(seen);
  for (const words of [
    "## Goal of the sprint\n\nAll of it",
    "## Story ST-001: A story\n\nAs a gardener",
    "## Plan\n\nWrite a line",
    "`test -f x` is run in this folder afterwards",
    "only in this folder",
    "Do not push",
  ]) {
    expect(prompt).toContain(words);
  }
  for (const words of ["input_tokens", String((await jobOf(run)).branch)]) {
    expect(prompt).not.toContain(words);
  }
});

describe("a task that only verifies", { timeout: 120_000 }, () => {
  const task = { verify_only: true };
  it("A task that only verifies changes nothing, no matter what the command does", async () => {
    const run = await startRun(t, ada, { code: "VONLY", task });
    const seen = join(home, "vonly");
    const exec = `cp "$BACKLOOM_PROMPT_FILE" ${seen}; echo $BACKLOOM_VERIFY_ONLY >> ${seen}; echo x > x; ${saying({ verify_result: "ALIGNED" })}`;
    const said = await workOnce("VONLY", exec);
    const job = await jobOf(run);
    expect(job).toMatchObject({ status: "done", task_status: "done", pushed_at: null });
    expect(() => shared("rev-parse", "--verify", String(job.branch))).toThrow();
    expect(read(seen)).toMatch(/Change nothing[\s\S]*\n1\n$/);
    expect(said).toContain(`backloom/kept/${job.id}-1`);
  });

  it.each([
    ["VSAID", saying({ verify_result: "DIVERGENT", summary: "It is not there" }), [], "failed"],
    ["VNONE", "true", [], "skipped"],
    ["VTEST", "true", ["--test", "true"], "done"],
    ["VRED", "true", ["--test", "echo red; exit 1"], "failed"],
  ])("%s: A task that only verifies is done only when someone has looked", async (code, exec, words, status) => {
    const run = await startRun(t, ada, { code, task });
    await workOnce(code, exec, ...words);
    const tasks: Record<string, string> = { done: "done", skipped: "review", failed: "failed" };
    expect(await jobOf(run)).toMatchObject({ status, task_status: tasks[status] });
  });
});

it("Work whose test fails is kept with its output as the reason, and put back by the next run", async () => {
  const run = await startRun(t, ada, { code: "KRED" });
  await workOnce("KRED", "echo half > half.txt", "--test", "echo 'expected 1, got 2'; exit 1");
  const job = await jobOf(run);
  expect(job).toMatchObject({ status: "failed", failure_class: "verification_failed" });
  expect(job.failure_reason).toContain("The test command ended with 1.\nexpected 1, got 2");
  expect(job.failure_reason).toContain(`backloom/kept/${job.id}-1`);
  expect(filesOf(`backloom/kept/${job.id}-1`)).toEqual(["half.txt"]);

  const { sprint_id } = await run.read();
  await resumeSprint(actor, { sprint_id: String(sprint_id) });
  const seen = join(home, "kred");
  await workOnce("KRED", `cp "$BACKLOOM_PROMPT_FILE" ${seen}`);
  expect(read(seen)).toContain("expected 1, got 2");
  expect(read(seen)).toContain(`- origin/backloom/kept/${job.id}-1`);
  expect(filesOf(String((await jobOf(run)).branch))).toEqual(["half.txt"]);
});

it.each([
  ["KFAIL", "exit 3", "failed"],
  ["KLIMIT", `${saying({ failure_class: "rate_limited" })}; exit 1`, "queued"],
])(
  "Work is kept when the command ends with a failure or a limit (%s)",
  { tags: "thorough" },
  async (code, end, status) => {
    const run = await startRun(t, ada, { code });
    const commit = "git -c user.name=A -c user.email=a@example.com commit -qm Agent";
    await workOnce(code, `echo a > a; git add a; ${commit}; echo b > b; ${end}`);
    const job = await jobOf(run);
    expect(job.status).toBe(status);
    expect(filesOf(`backloom/kept/${job.id}-1`)).toEqual(["a", "b"]);
    expect(job.failure_reason).toContain(`backloom/kept/${job.id}-1`);
  },
);

it("Work is kept when the job is lost, and when the worker is stopped in order", { tags: "thorough" }, async () => {
  const lost = await startRun(t, ada, { code: "KLOST" });
  const hold = makeBarrier(join(home, "klost"));
  const worker = start("KLOST", `echo late > late.txt; ${hold.script}`, "--once");
  await hold.reached(worker.output);
  // A heartbeat that comes between the two renews the lease: then it runs out once more.
  await vi.waitFor(
    async () => {
      await t.query`update agent_jobs set lease_until = now() - interval '1 second'
          where product_id = ${lost.productId}`;
      const claim = { worker: "another", product_id: lost.productId };
      expect((await claimAgentJob(actor, claim)).job).toMatchObject({ attempt: 2 });
    },
    { timeout: 60_000 },
  );
  await worker.ended;
  expect(filesOf(`backloom/kept/${(await jobOf(lost)).id}-1`)).toEqual(["late.txt"]);

  const stopped = await startRun(t, ada, { code: "KSTOP" });
  const pause = makeBarrier(join(home, "kstop"));
  const other = start("KSTOP", `echo half > half.txt; ${pause.script}`, "--once");
  await pause.reached(other.output);
  await other.end("SIGTERM");
  const job = await jobOf(stopped);
  expect(job).toMatchObject({ status: "queued", retry_count: 0 });
  expect(filesOf(`backloom/kept/${job.id}-1`)).toEqual(["half.txt"]);
});

it("Work of a killed worker is kept as soon as it starts again", { tags: "thorough" }, async () => {
  const run = await startRun(t, ada, { code: "KKILL" });
  const hold = makeBarrier(join(home, "kkill"));
  const worker = start("KKILL", `echo half > half.txt; ${hold.script}`);
  await hold.reached(worker.output);
  await worker.end("SIGKILL");
  expect(await workOnce("KKILL", "echo whole > whole.txt")).toContain("is kept on backloom/kept/");
  const job = await jobOf(run);
  expect(job).toMatchObject({ status: "done", attempt: 2 });
  expect(filesOf(`backloom/kept/${job.id}-1`)).toEqual(["half.txt"]);
  expect(filesOf(String(job.branch))).toEqual(["half.txt", "whole.txt"]);
});

it("Work is kept when another job has made the very same commit within the same second", {
  tags: "thorough",
}, async () => {
  const moment = "2026-01-02T03:04:05Z";
  const dates = { GIT_AUTHOR_DATE: moment, GIT_COMMITTER_DATE: moment };
  const delivered = await startRun(t, ada, { code: "SAME1" });
  const first = startIn(dates, "SAME1", "echo same > same", "--once");
  expect(await first.ended, first.output()).toBe(0);
  const run = await startRun(t, ada, { code: "SAME2", task: { verify_only: true } });
  const exec = `echo same > same; ${saying({ verify_result: "ALIGNED" })}`;
  const output = await endOf(startIn(dates, "SAME2", exec, "--once"));
  const kept = `backloom/kept/${(await jobOf(run)).id}-1`;
  expect(output).toContain(kept);
  const { branch } = await jobOf(delivered);
  expect(shared("rev-parse", kept)).toBe(shared("rev-parse", String(branch)));
});

it("Work is kept for two weeks, here and in the remote, and longer while its job is in hand", {
  tags: "thorough",
}, async () => {
  const run = await startRun(t, ada, { code: "KOLD", product: { repo_url: "" } });
  const { id } = at((await run.read()).jobs, 0);
  const days = (count: number) => new Date(Date.now() - count * 86_400_000).toISOString();
  const leave = (name: string, date: string, where: ReturnType<typeof gitIn>) => {
    const words = ["-c", "user.name=A", "-c", "user.email=a@example.com", "commit-tree"];
    process.env.GIT_COMMITTER_DATE = date;
    const commit = where(...words, "-p", "main", "-m", name, "main^{tree}");
    Reflect.deleteProperty(process.env, "GIT_COMMITTER_DATE");
    where("update-ref", `refs/heads/backloom/kept/${name}`, commit);
  };
  const [old, young, local] = [randomUUID(), randomUUID(), randomUUID()].map((one) => `${one}-1`);
  leave(`${old}`, days(15), shared);
  leave(`${young}`, days(13), shared);
  leave("SHOP/SP-1-run-1", days(15), shared);
  leave(`${id}-7`, days(15), shared);
  leave(`${local}`, days(15), gitIn(clone));
  await workOnce("KOLD", "echo x > x");
  const kept = (where: ReturnType<typeof gitIn>) =>
    where("for-each-ref", "--format=%(refname:lstrip=4)", "refs/heads/backloom/kept").split("\n");
  expect(kept(shared)).toEqual(expect.arrayContaining([`${id}-7`, young, "SHOP/SP-1-run-1"]));
  expect(kept(shared)).not.toContain(old);
  expect(kept(gitIn(clone))).not.toContain(local);
});

it("Work is kept when its branch has a conflict", { tags: "thorough" }, async () => {
  const run = await startRun(t, ada, { code: "KCONF" });
  const theirs = join(home, "theirs");
  git("clone", "--quiet", origin, theirs);
  const other = gitIn(theirs);
  writeFileSync(join(theirs, "same"), "theirs\n");
  other("add", "same");
  other("commit", "--quiet", "-m", "Theirs");
  const { branch } = await run.read();
  await workOnce("KCONF", `git -C ${theirs} push -q origin HEAD:refs/heads/${branch}; echo ours > same`);
  const job = await jobOf(run);
  expect(await run.read()).toMatchObject({ status: "running", jobs: [{ status: "queued" }] });
  expect(shared("show", `backloom/kept/${job.id}-1:same`)).toBe("ours");
  await workOnce("KCONF", 'grep -v "^[<=>]" same > both; mv both same');
  expect(await run.read()).toMatchObject({ status: "done" });
  expect(shared("show", `${branch}:same`).split("\n").sort()).toEqual(["ours", "theirs"]);
});

it("A command that this machine lacks is reported before a job is taken", async () => {
  const run = await startRun(t, ada, { code: "LACK" });
  const worker = start("LACK", 'no-such-agent -p "$(cat "$BACKLOOM_PROMPT_FILE")"', "--once");
  expect(await worker.ended).toBe(1);
  expect(worker.output()).toContain("no-such-agent is not installed on this machine");
  expect(await jobOf(run)).toMatchObject({ status: "queued", attempt: 0 });
});

it("A prompt too long for an argument is told, and standard input takes it", { tags: "thorough" }, async () => {
  const run = await startRun(t, ada, { code: "BIG" });
  await t.query`update tasks set description = repeat('word ', 18000) where product_id = ${run.productId}`;
  await t.query`update stories set description = repeat('word ', 18000) where product_id = ${run.productId}`;
  const worker = start("BIG", '/bin/echo "$(cat "$BACKLOOM_PROMPT_FILE")"', "--once");
  expect(await worker.ended).toBe(1);
  expect(worker.output()).toContain('< "$BACKLOOM_PROMPT_FILE"');
  expect(await jobOf(run)).toMatchObject({ status: "queued", retry_count: 0 });
  await workOnce("BIG", 'cat < "$BACKLOOM_PROMPT_FILE" > big.md');
  expect(await jobOf(run)).toMatchObject({ status: "done" });
});

it("A command that turns out to be missing only when it runs costs no retry", { tags: "thorough" }, async () => {
  const run = await startRun(t, ada, { code: "LATER" });
  const worker = start("LATER", "true && no-such-agent", "--once");
  expect(await worker.ended).toBe(1);
  expect(worker.output()).toContain("This machine cannot run the command");
  expect(await jobOf(run)).toMatchObject({ status: "queued", retry_count: 0, failure_class: null });
});

describe("a pull request that was wanted and is not there", { tags: "thorough", timeout: 120_000 }, () => {
  it.each([
    ["NOPR", [], "the worker has no --pr command"],
    ["BADPR", ["--pr", "echo 'no remote'; exit 4"], "the command ended with 4.\nno remote"],
  ])("A pull request that was wanted and is not there is told on the job (%s)", async (code, words, problem) => {
    const run = await startRun(t, ada, { code, product: { auto_pr: true } });
    await workOnce(code, "echo x > x", ...words);
    expect((await jobOf(run)).summary).toContain(problem);
  });
});

it("A question about an idea has the repository to read, and the command's output for an answer", async () => {
  const { productId } = await startRun(t, ada, { code: "TALK" });
  const idea = await createIdea(actor, { product_id: productId, title: "Dark mode" });
  await askAboutIdea(actor, { idea_id: idea.id, question: "Is it much work?" });
  const before = shared("for-each-ref");
  const exec = "git rev-parse HEAD; echo banner >&2; echo x > changed; git symbolic-ref -q HEAD";
  await workOnce("TALK", `${exec}; true`, "--kinds", "PLAN_CHAT");
  const rows = await t.query`select answer from user_questions`;
  expect(rows).toEqual([{ answer: shared("rev-parse", "main") }]);
  expect(shared("for-each-ref")).toBe(before);
  expect(gitIn(clone)("worktree", "list").split("\n")).toHaveLength(1);
});

describe("the rules of the repository", { timeout: 120_000 }, () => {
  const ruled = join(home, "ruled");
  mkdirSync(ruled);
  const own = gitIn(ruled);
  own("init", "--quiet", "--initial-branch=main");
  const rule = (text: string) => {
    writeFileSync(join(ruled, ".backloom.yml"), text);
    writeFileSync(join(ruled, ".gitignore"), "secret.txt\nset-up\n");
    own("add", "--all");
    own("commit", "--quiet", "-m", "Rules");
  };

  it("Rules of the main branch set up the worktree, bring files along, and test", async () => {
    writeFileSync(join(ruled, "secret.txt"), "mine\n");
    rule(
      "setup: echo $COLOR > set-up\ntest: grep -q blue set-up && test -f secret.txt\ncopy: [secret.txt, ../x]\nenv: { COLOR: blue }\n",
    );
    const run = await startRun(t, ada, { code: "RULES" });
    // An agent that writes rules of its own changes nothing for itself.
    const exec = "echo 'test: exit 1' > .backloom.yml; test $COLOR = blue";
    await workOnce("RULES", exec, "--repo", ruled);
    expect(await jobOf(run)).toMatchObject({
      status: "done",
      verify_result: "ALIGNED",
      evidence: { test: { passed: true } },
    });
    expect(own("ls-tree", "--name-only", String((await jobOf(run)).branch)).split("\n")).toEqual([
      ".backloom.yml",
      ".gitignore",
    ]);
  });

  it("Rules of the repository bring nothing along through a folder that is a link", { tags: "thorough" }, async () => {
    const aside = join(home, "aside");
    mkdirSync(aside);
    writeFileSync(join(aside, "key"), "secret of the person\n");
    symlinkSync(aside, join(ruled, "linked"));
    rule("copy: [linked/key]\n");
    own("rm", "--quiet", "--cached", "linked");
    own("commit", "--quiet", "-m", "Leave the link to the person");
    const run = await startRun(t, ada, { code: "LINKRULE" });
    await workOnce("LINKRULE", "ls > listed.txt", "--repo", ruled);
    const job = await jobOf(run);
    expect(job).toMatchObject({ status: "done" });
    expect(own("show", `${job.branch}:listed.txt`)).not.toContain("linked");
    rmSync(join(ruled, "linked"));
  });

  it("Rules of the repository bring along no git folder, at any depth and by any name", {
    tags: "thorough",
  }, async () => {
    const folders = [".GIT", "sub/.git", "sub/deep/.Git", "GIT~1", "sub/.git . "];
    for (const folder of folders) {
      mkdirSync(join(ruled, "kept", folder), { recursive: true });
      writeFileSync(join(ruled, "kept", folder, "config"), "[core]\n");
    }
    writeFileSync(join(ruled, "kept/sub/mine"), "mine\n");
    writeFileSync(join(ruled, ".git/info/exclude"), "kept\n");
    rule(`copy: ${JSON.stringify(["kept", ...folders.map((folder) => `kept/${folder}/config`)])}\n`);
    const run = await startRun(t, ada, { code: "GITRULE" });
    await workOnce("GITRULE", "find kept -type f > listed.txt", "--repo", ruled);
    const job = await jobOf(run);
    expect(own("show", `${job.branch}:listed.txt`).trim()).toBe("kept/sub/mine");
    rmSync(join(ruled, "kept"), { recursive: true });
  });

  it.each([
    ["BADRULE", "test: 5\n", ".backloom.yml is not as documented"],
    ["BADSETUP", "setup: [echo no network, exit 7]\n", "ended with 7.\nno network"],
  ])(
    "Rules of the repository that do not work fail the job with what is wrong (%s)",
    { tags: "thorough" },
    async (code, text, reason) => {
      rule(text);
      const run = await startRun(t, ada, { code });
      await workOnce(code, "echo x > x", "--repo", ruled);
      const job = await jobOf(run);
      expect(job).toMatchObject({ status: "failed", failure_class: "infrastructure" });
      expect(job.failure_reason).toContain(reason);
    },
  );
});

it("A job that fills the disk is ended and told, and its work is kept without what fills it", {
  tags: "thorough",
}, async () => {
  const run = await startRun(t, ada, { code: "DISK" });
  const fill = "head -c 4000000 /dev/urandom > large.bin; echo work > work.txt; sleep 600";
  const worker = serve("DISK", ["--exec", fill, "--disk", "0.002", "--once"]);
  await worker.ended;
  const { id } = at((await run.read()).jobs, 0);
  const job = await getAgentJob(actor, { job_id: id });
  expect(job.failure_reason, worker.output()).toMatch(/^The worktree grew by \d MB, more than the 2 MB that --disk/);
  expect(git("ls-tree", "--name-only", `backloom/kept/${id}-1`).split("\n")).toContain("work.txt");
  expect(git("ls-tree", "--name-only", `backloom/kept/${id}-1`)).not.toContain("large.bin");
});
