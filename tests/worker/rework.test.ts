import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { getStoryPage } from "~/nouns/pages/operations.server";
import { updateProduct } from "~/nouns/products/operations.server";
import { reviewJob } from "~/nouns/reviews/operations.server";
import {
  cancelSprintRun,
  pauseSprintRun,
  preflightSprintRun,
  resumeSprint,
  resumeSprintRun,
  startSprintRun,
} from "~/nouns/sprint-runs/operations.server";
import { completeSprint, startSprint } from "~/nouns/sprints/operations.server";
import { addStoryToSprint, removeStoryFromSprint, startOver } from "~/nouns/stories/operations.server";
import { makeBarrier } from "./barrier";
import { gitIn } from "./fixture";
import { openMachines } from "./rework-scene";
import { read } from "./worker-process";

const { actor, home, shared, start, work, product, filesOf, parentsOf } = await openMachines();
const line = 'echo line >> "$BACKLOOM_TASK_CODE.txt"';

it("Work continues from the judged commit after a review asked for changes, on another machine", async () => {
  const p = await product("CHANGES", "STORY", [1]);
  await p.startRun();
  await work("CHANGES", "a", line);
  const judged = await p.headOf("T-1");
  await p.requestChanges("T-1");
  expect((await p.preflight()).begins_from).toMatchObject([
    {
      story_code: "ST-1",
      head_sha: judged,
      commits: 1,
      message: expect.stringMatching(/^ST-1 continues backloom\/.*, 1 commit not on main$/),
    },
  ]);
  await p.startRun();
  expect(await work("CHANGES", "b", line)).toContain("Continues the work of ST-1 from backloom/");
  const job = await p.jobOf("T-1");
  expect(job).toMatchObject({ status: "done", base_sha: judged });
  expect(parentsOf(String(job.head_sha))).toEqual([judged]);
  expect(shared("show", `${job.head_sha}:T-1.txt`)).toBe("line\nline");
});

it("A new run continues what a cancelled one had done, with the half that no one delivered", async () => {
  const p = await product("CANCEL", "STORY", [2]);
  const run = await p.startRun();
  await work("CANCEL", "a", line, "--once");
  const judged = await p.headOf("T-1");
  const hold = makeBarrier(join(home, "cancel"));
  const worker = start("CANCEL", "a", `echo half > half.txt; ${hold.script}`, "--once");
  await hold.reached(worker.output);
  await cancelSprintRun(actor, { sprint_run_id: run.id });
  await worker.ended;
  await p.startRun();
  const status = join(home, "cancel-status");
  const next = await work("CANCEL", "b", `git status --porcelain > ${status}; ${line}`);
  expect(next).toContain("Restored the work of an earlier attempt");
  // It is there as it was left: not committed.
  expect(read(status)).toBe("?? half.txt\n");
  const job = await p.jobOf("T-2");
  expect(job.base_sha).toBe(judged);
  expect(parentsOf(String(job.head_sha))).toEqual([judged]);
  expect(filesOf(String(job.head_sha))).toEqual(["T-1.txt", "T-2.txt", "half.txt"]);
});

it("A batch begins with the work of all stories that another strategy left, also of done ones", async () => {
  const p = await product("OTHER", "STORY", [1, 1]);
  await p.startRun();
  await work("OTHER", "a", line);
  const [one, two] = [await p.headOf("T-1"), await p.headOf("T-2")];
  await p.requestChanges("T-2");
  await p.change("SPRINT_BATCH");
  const run = await p.startRun();
  await work("OTHER", "b", line);
  const { branch } = await p.readRun(run);
  expect(shared("show", `${branch}:T-2.txt`)).toBe("line\nline");
  expect(shared("show", `${branch}:T-1.txt`)).toBe("line");
  const [joined = ""] = parentsOf(branch);
  expect(parentsOf(joined).sort()).toEqual([one, two].sort());
});

it("a story that was approved and has not landed continues in another sprint from the approved commit", async () => {
  const p = await product("NEXT", "STORY", [2]);
  await updateProduct(actor, { product_id: p.id, done_requires: "person" });
  const first = await p.startRun();
  await work("NEXT", "a", line, "--once");
  const done = await p.jobOf("T-1");
  await reviewJob(actor, { job_id: done.id, verdict: "approve" });
  expect(await p.jobOf("T-1")).toMatchObject({ status: "done", merged_at: null });
  await cancelSprintRun(actor, { sprint_run_id: first.id });

  const story_id = await p.idOf("stories", "ST-1");
  const [before, after] = [await p.idOf("sprints", "SP-1"), await p.idOf("sprints", "SP-2")];
  await removeStoryFromSprint(actor, { story_id });
  await addStoryToSprint(actor, { story_id, sprint_id: after });
  await completeSprint(actor, { sprint_id: before });
  await startSprint(actor, { sprint_id: after });
  const approved = String(done.head_sha);
  const { begins_from } = await preflightSprintRun(actor, { sprint_id: after });
  expect(begins_from).toMatchObject([{ story_code: "ST-1", head_sha: approved }]);

  await startSprintRun(actor, { sprint_id: after });
  await work("NEXT", "b", line, "--once");
  const next = await p.jobOf("T-2");
  expect(next.base_sha).toBe(approved);
  expect(parentsOf(String(next.head_sha))).toEqual([approved]);
  expect(filesOf(String(next.head_sha))).toEqual(["T-1.txt", "T-2.txt"]);
}, 120_000);

it("Landed work is not continued, even squashed onto main, and the service hears of it", async () => {
  const p = await product("LANDED", "STORY", [1]);
  await p.startRun();
  await work("LANDED", "a", "echo landed > landed.txt");
  const first = await p.jobOf("T-1");
  await p.requestChanges("T-1");
  const main = join(home, "landing");
  shared("worktree", "add", "--quiet", main, "main");
  const there = gitIn(main);
  there("merge", "--quiet", "--squash", String(first.head_sha));
  there("commit", "--quiet", "-m", "Land it");
  await p.startRun();
  expect(await work("LANDED", "b", "echo more >> landed.txt")).toContain("The main branch has the work of T-1");
  const { head_sha } = await p.jobOf("T-1");
  expect(parentsOf(String(head_sha))).toEqual([shared("rev-parse", "main")]);
  expect((await p.preflight()).begins_from.map(({ branch }) => branch)).not.toContain(first.branch);
  there("checkout", "--quiet", "--detach");
});

it("A story starts over from main when a person says so once, and its trail stays", async () => {
  const p = await product("OVER", "STORY", [1]);
  await p.startRun();
  await work("OVER", "a", line);
  await p.requestChanges("T-1");
  const id = await p.idOf("stories", "ST-1");
  const { left } = await startOver(actor, { kind: "story", id });
  expect(left).toMatchObject([{ story_code: "ST-1", head_sha: await p.headOf("T-1") }]);
  expect((await p.preflight()).begins_from).toEqual([]);
  await expect(startOver(actor, { kind: "story", id })).rejects.toThrow("nothing to discard");
  await p.startRun();
  await work("OVER", "b", line);
  expect(parentsOf(await p.headOf("T-1"))).toEqual([shared("rev-parse", "main")]);
  expect((await getStoryPage(actor, { story_id: id })).fresh_starts).toMatchObject([
    { started_by: "ada", left: [{ head_sha: left[0]?.head_sha }] },
  ]);
});

it("Work that cannot be found pauses the run instead of a silent start at main", async () => {
  const p = await product("GONE", "STORY", [1]);
  await p.startRun();
  await work("GONE", "a", line);
  const judged = await p.headOf("T-1");
  const { branch } = await p.jobOf("T-1");
  await p.requestChanges("T-1");
  shared("branch", "-D", String(branch));
  shared("gc", "--quiet", "--prune=now");
  const run = await p.startRun();
  const said = await work("GONE", "b", line, "--once");
  expect(said).toContain(`the work of T-1 (${judged.slice(0, 8)} on ${branch})`);
  expect(await p.readRun(run)).toMatchObject({
    status: "paused",
    pause_question: { question: expect.stringContaining('press "Start over from main" on ST-1') },
  });
  // The machine that has it brings it back.
  gitIn(join(home, "a"))("push", "--quiet", "origin", `${judged}:refs/heads/${branch}`);
  await resumeSprintRun(actor, { sprint_run_id: run.id });
  await work("GONE", "b", line);
  expect(parentsOf(await p.headOf("T-1"))).toEqual([judged]);
});

describe("two stories that do not go together", { timeout: 120_000 }, () => {
  const same = 'echo "$BACKLOOM_TASK_CODE" > same';

  it("Two stories that do not merge go home before their batch begins, and are joined in its own turn", async () => {
    const p = await product("CLASH", "STORY", [1, 1]);
    const story_id = await p.idOf("stories", "ST-2");
    await removeStoryFromSprint(actor, { story_id });
    await p.startRun();
    await work("CLASH", "a", same);
    await addStoryToSprint(actor, { story_id, sprint_id: await p.idOf("sprints", "SP-1") });
    await p.startRun();
    await work("CLASH", "b", same);
    const [one, two] = [await p.headOf("T-1"), await p.headOf("T-2")];
    await p.requestChanges("T-2");
    await p.change("SPRINT_BATCH");
    const run = await p.startRun();

    expect(await work("CLASH", "b", line, "--once")).toContain(
      "Merge conflict with T-2 in same: the task returns to its agent",
    );
    expect(await p.readRun(run)).toMatchObject({
      jobs: [{ status: "queued", retry_count: 0 }],
      executions: [{ task_code: "T-2", status: "pending" }],
    });

    const prompts = join(home, "clash.md");
    const both = `cat "$BACKLOOM_PROMPT_FILE" >> ${prompts}; if grep -q "^<<<<" same; then grep -v "^[<=>]" same > clean; mv clean same; else ${line}; fi`;
    await work("CLASH", "a", both);
    expect(read(prompts)).toMatch(/same, yours:\n {4}\| T-1\nsame, theirs:\n {4}\| T-2/);
    const { status, branch } = await p.readRun(run);
    expect(status).toBe("done");
    expect(shared("show", `${branch}:same`).split("\n").sort()).toEqual(["T-1", "T-2"]);
    const [joined = ""] = parentsOf(branch);
    expect(parentsOf(joined)).toEqual([one, two]);
  });
});

it("Judged work is kept over ten rounds of reviews, cancels and resumes, two strategies and two machines", async () => {
  const p = await product("TEN", "STORY", [1, 1]);
  await p.startRun();
  await work("TEN", "a", line);
  const lines = { "T-1": 1, "T-2": 1 };
  const rounds = [
    ["T-1", "go"],
    ["T-2", "cancel"],
    ["T-1", "cancel at work"],
    ["T-2", "fail"],
    ["T-1", "pause"],
    ["T-2", "go"],
    ["T-1", "cancel"],
    ["T-2", "cancel at work"],
    ["T-1", "fail"],
    ["T-2", "pause"],
  ] as const;
  for (const [round, [task, what]] of rounds.entries()) {
    const [machine, other] = round % 2 === 0 ? (["b", "a"] as const) : (["a", "b"] as const);
    if (round === 5) await p.change("SPRINT");
    const judged = await p.headOf(task);
    await p.requestChanges(task);
    let run = await p.startRun();
    if (what === "cancel") {
      await cancelSprintRun(actor, { sprint_run_id: run.id });
      run = await p.startRun();
    } else if (what === "cancel at work") {
      const hold = makeBarrier(join(home, `ten-${round}`));
      const worker = start("TEN", other, hold.script, "--once");
      await hold.reached(worker.output);
      await cancelSprintRun(actor, { sprint_run_id: run.id });
      await worker.ended;
      run = await p.startRun();
    } else if (what === "fail") {
      await work("TEN", other, "exit 1", "--once");
      await resumeSprint(actor, { sprint_id: String(run.sprint_id) });
    } else if (what === "pause") {
      await pauseSprintRun(actor, { sprint_run_id: run.id });
      await resumeSprintRun(actor, { sprint_run_id: run.id });
    }
    await work("TEN", machine, line);
    const head = await p.headOf(task);
    // A branch of its own story begins at the very commit; one of the sprint at what joins it with the other story.
    if (round < 5) expect([round, what, ...parentsOf(head)]).toEqual([round, what, judged]);
    else shared("merge-base", "--is-ancestor", judged, `${head}~1`);
    lines[task] += 1;
  }
  const newest = await p.headOf("T-2");
  for (const task of ["T-1", "T-2"] as const) {
    expect(shared("show", `${newest}:${task}.txt`).split("\n")).toHaveLength(lines[task]);
  }
}, 400_000);
