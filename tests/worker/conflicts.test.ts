import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { getAgentJob, getJobOutput } from "~/nouns/agent-jobs/operations.server";
import { resumeSprintRun } from "~/nouns/sprint-runs/operations.server";
import { makeBarrier } from "./barrier";
import { openStage, startRun, startStories } from "./fixture";
import { fakeAgent, read } from "./worker-process";

const { t, ada, actor, home, repo, git, serve, serveOnce } = await openStage("--heartbeat", "0.3");

async function startNumbered(code: string, count: number) {
  const stories = Array.from({ length: count }, (_, index) => ({
    title: `Story ${index + 1}`,
    code: `ST-${index + 1}`,
    tasks: [{ title: "Do", code: `T-${index + 1}`, implementation_plan: "Do it" }],
  }));
  const { runId, read: readRun } = await startStories(t, ada, { code, pr_strategy: "STORY" }, stories);
  const jobOf = async (task: string) => {
    const job = (await readRun()).jobs.find(({ task_code }) => task_code === task);
    if (job === undefined) throw new Error(`No job of ${task}`);
    return job;
  };
  return { id: runId, read: readRun, jobOf };
}

const start = (product: string, name: string, exec: string, environment = {}) =>
  serve(product, ["--name", name, "--exec", exec, "--once"], environment);
const work = (product: string, exec: string, environment = {}) => serveOnce(product, ["--exec", exec], environment);

const same = 'echo "$BACKLOOM_TASK_CODE" > same';
/** Takes both versions, as an agent that was told of them would. */
const both = 'grep -v "^[<=>]" same > clean; mv clean same';

it("The later of two tasks that change the same lines goes home with both versions and mends it", async () => {
  const run = await startNumbered("MEET", 3);
  await work("MEET", same);
  const output = await work("MEET", same);
  expect(output).toContain("Merge conflict with T-1 in same: the task returns to its agent");
  expect((await run.jobOf("T-2")).status).toBe("queued");
  expect(await run.read()).toMatchObject({ status: "running", pause_context: null });

  const prompt = join(home, "meet.md");
  const mended = await work("MEET", `cp "$BACKLOOM_PROMPT_FILE" ${prompt}; ${both}`);
  expect(mended).toContain("Claimed T-2");
  expect(read(prompt)).toContain("does not merge with the work of T-1");
  expect(read(prompt)).toMatch(/same, yours:\n {4}\| T-2\nsame, theirs:\n {4}\| T-1/);
  const job = await run.jobOf("T-2");
  expect(job).toMatchObject({ status: "done", retry_count: 0, attempt: 2 });
  const first = await run.jobOf("T-1");
  expect(git("show", `${job.branch}:same`).split("\n").sort()).toEqual(["T-1", "T-2"]);
  expect(() => git("merge-base", "--is-ancestor", String(first.head_sha), String(job.head_sha))).not.toThrow();
  expect(git("log", "-1", "--format=%P", String(job.head_sha)).split(" ")).toHaveLength(2);
  const { attempts } = await getAgentJob(actor, { job_id: job.id });
  expect(attempts.map(({ outcome }) => outcome).sort()).toEqual(["conflict", "done"]);
  // What it changed next to what it took over.
  expect(job).toMatchObject({ additions: 1, deletions: 0 });
});

it("A conflict of two tasks pauses the run after two tries in vain, naming both and the files", async () => {
  const run = await startNumbered("VAIN", 2);
  await work("VAIN", same);
  await work("VAIN", same);
  // The marks are still there.
  expect(await work("VAIN", "true")).toContain("Conflict markers are still in same");
  expect((await run.read()).status).toBe("running");
  await work("VAIN", "true");
  expect(await run.read()).toMatchObject({
    status: "paused",
    pause_context: { reason: "merge_conflict", conflict_files: ["same"], tasks: ["T-2", "T-1"] },
    pause_question: { question: expect.stringContaining("T-2 does not merge with T-1") },
  });
  expect(await run.jobOf("T-2")).toMatchObject({ status: "queued", retry_count: 0 });
  await resumeSprintRun(actor, { sprint_run_id: run.id });
  await work("VAIN", both);
  expect(await run.read()).toMatchObject({ status: "done", pause_context: null });
});

it("The rest of a run continues while a task with a conflict is mended", async () => {
  const run = await startNumbered("REST", 3);
  await work("REST", same);
  await work("REST", same);
  const hold = makeBarrier(join(home, "rest"));
  const mending = start("REST", "mender", `${hold.script}; ${both}`);
  await hold.reached(mending.output);
  await work("REST", 'echo 3 > "$BACKLOOM_TASK_CODE"');
  expect((await run.jobOf("T-3")).status).toBe("done");
  await hold.release();
  expect(await mending.ended, mending.output()).toBe(0);
  expect((await run.read()).status).toBe("done");
});

it("An agent whose work goes home continues in its own conversation, told of both versions as data", async () => {
  const run = await startNumbered("TALK", 2);
  await work("TALK", "echo theirs > made.txt");
  const own = join(home, "talk");
  mkdirSync(own);
  const agent = `acp:HOME="${own}" exec "${process.execPath}" "${fakeAgent}"`;
  const turn = async (ending: string) => {
    writeFileSync(join(own, "ending"), ending);
    return serveOnce("TALK", ["--name", "talker", "--agent", agent]);
  };
  expect(await turn("done")).toContain("Merge conflict with T-1 in made.txt");
  await turn("resumed");
  const job = await run.jobOf("T-2");
  const { entries } = await getJobOutput(actor, { job_id: job.id, attempt: 2 });
  const said = entries.map(({ text }) => text).join("\n");
  expect(said).toContain("I was told 2 times");
  expect(said).toContain("it does not merge with other work");
  expect(said).toContain("made.txt, theirs:\n    | theirs");
  // It took the marks for nothing: the second try is still to come.
  expect(job).toMatchObject({ status: "queued", attempt: 2, retry_count: 0 });
});

describe("two workers that end at the same moment", { timeout: 240_000 }, () => {
  it("Exactly one of two workers that end in conflict at the same moment mends its task", async () => {
    for (const round of [1, 2, 3]) {
      const code = `TIE${round}`;
      const run = await startNumbered(code, 2);
      const holds = ["a", "b"].map((name) => makeBarrier(join(home, `${code}-${name}`)));
      const workers = holds.map((hold, index) => start(code, `${code}-${index}`, `${hold.script}; ${same}`));
      for (const [index, hold] of holds.entries()) await hold.reached(workers[index]?.output ?? String);
      await Promise.all(holds.map((hold) => hold.release()));
      for (const worker of workers) expect(await worker.ended, worker.output()).toBe(0);
      const between = await run.read();
      expect(between.jobs.map(({ status }) => status).sort()).toEqual(["done", "queued"]);
      await work(code, both);
      const end = await run.read();
      expect(end.status).toBe("done");
      const mended = end.jobs.find(({ attempt }) => attempt === 2);
      expect(git("show", `${mended?.branch}:same`).split("\n").sort()).toEqual(["T-1", "T-2"]);
    }
  });
});

describe("the main branch", { timeout: 180_000 }, () => {
  /** Commits a file to the main branch of the repository, as someone's merge would. */
  const commitToMain = (file: string, line: string) =>
    `sh -c 'cd ${repo} && h=$(echo ${line} | git hash-object -w --stdin) && git read-tree --index-output=${home}/index main && GIT_INDEX_FILE=${home}/index git update-index --add --cacheinfo 100644,$h,${file} && git update-ref refs/heads/main $(git -c user.name=T -c user.email=t@example.com commit-tree -p main -m Theirs $(GIT_INDEX_FILE=${home}/index git write-tree))'`;

  it("Unseen work is rebased, and no task goes home, where the main branch has a part of it already", async () => {
    const run = await startNumbered("TAKEN", 1);
    const commit = "git -c user.name=A -c user.email=a@example.com commit -qm";
    const output = await work(
      "TAKEN",
      `echo one > taken; git add taken; ${commit} One; echo own > own; git add own; ${commit} Own; ${commitToMain("taken", "one")}; ${commitToMain("taken", "two")}`,
    );
    expect(output).toContain("the work was rebased onto it");
    const job = await run.jobOf("T-1");
    expect(job).toMatchObject({ status: "done", attempt: 1 });
    expect(git("show", `${job.branch}:taken`)).toBe("two");
    expect(git("diff", "--name-only", "main", String(job.head_sha))).toBe("own");
  });

  it("A task goes home when the main branch has moved on differently while its agent worked", async () => {
    const run = await startNumbered("BASE", 1);
    const output = await work("BASE", `${commitToMain("base", "theirs")}; echo ours > base`);
    expect(output).toContain("Merge conflict with the main branch in base");
    const mend = 'grep -v "^[<=>]" base > clean; mv clean base';
    await work("BASE", mend);
    const job = await run.jobOf("T-1");
    expect(job).toMatchObject({ status: "done", additions: 1 });
    expect(git("show", `${job.branch}:base`).split("\n").sort()).toEqual(["ours", "theirs"]);
    expect(() => git("merge-base", "--is-ancestor", "main", String(job.head_sha))).not.toThrow();
  });

  it("A batch whose tasks are all done goes home over a conflict with main, and its own turn mends it", async () => {
    const run = await startRun(t, ada, { code: "BATCH", strategy: "SPRINT_BATCH", tasks: 2 });
    const work2 = `test $BACKLOOM_TASK_CODE = T-2 && ${commitToMain("batch", "theirs")}; echo $BACKLOOM_TASK_CODE >> batch`;
    const output = await work("BATCH", work2);
    expect(output).toContain("Merge conflict with the main branch in batch");
    const prompt = join(home, "batch.md");
    await work("BATCH", `cp "$BACKLOOM_PROMPT_FILE" ${prompt}; ${both.replaceAll("same", "batch")}`);
    expect(read(prompt)).toContain("does not merge with the main branch");
    const end = await run.read();
    expect(end).toMatchObject({ status: "done", jobs: [{ attempt: 2, retry_count: 0 }] });
    expect(git("show", `${end.branch}:batch`).split("\n").sort()).toEqual(["T-1", "T-2", "theirs"]);
  });
});

it("A git older than 2.38 is named as such, and finds the same conflict", async () => {
  const run = await startNumbered("OLD", 2);
  await work("OLD", same);
  const old = join(home, "old");
  mkdirSync(old);
  const real = execFileSync("which", ["git"], { encoding: "utf8" }).trim();
  const shim = `#!/bin/sh\ncase " $* " in *" version "*) echo "git version 2.30.2" ;; *" merge-tree "*) exit 129 ;; *) exec ${real} "$@" ;; esac\n`;
  writeFileSync(join(old, "git"), shim, { mode: 0o755 });
  const output = await work("OLD", same, { PATH: `${old}:${process.env.PATH}` });
  expect(output).toContain("This git is older than 2.38");
  expect(output).toContain("Merge conflict with T-1 in same");
  await work("OLD", both, { PATH: `${old}:${process.env.PATH}` });
  const job = await run.jobOf("T-2");
  expect(job.status).toBe("done");
  expect(git("show", `${job.branch}:same`).split("\n").sort()).toEqual(["T-1", "T-2"]);
});
