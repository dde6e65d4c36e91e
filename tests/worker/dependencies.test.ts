import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { cancelAgentJob } from "~/nouns/agent-jobs/operations.server";
import { updateTask } from "~/nouns/tasks/operations.server";
import type { ExportDocumentInput } from "~/nouns/transfers/export-document";
import { at } from "../setup/world";
import { gitIn, openStage, startStories } from "./fixture";
import { openToolGate } from "./tool-gate";
import { read } from "./worker-process";

const { t, app, ada, home, repo, git, serve, serveOnce } = await openStage("--heartbeat", "0.3");

interface Waiting {
  code: string;
  blocked_by?: string[];
  /** Instead of one task of the story's number. */
  tasks?: { title: string; code: string; blocked_by?: string[]; verify_only?: boolean }[];
}

/** A run with a branch a story, each with one task of the story's number. */
async function startWaiting(code: string, stories: Waiting[], product: Partial<ExportDocumentInput["product"]> = {}) {
  const all = stories.map((story) => ({
    title: story.code,
    ...story,
    tasks: (story.tasks ?? [{ title: story.code, code: `T-${story.code}` }]).map((task) => ({
      ...task,
      implementation_plan: "Do it",
    })),
  }));
  return (await startStories(t, ada, { code, pr_strategy: "STORY", ...product }, all)).read;
}

const work = (product: string, exec: string, ...words: string[]) => serveOnce(product, ["--exec", exec, ...words]);

it("A task begins with the work of what it waited for, and its own change is only its own", async () => {
  // As some people have it, for their own merges.
  git("config", "merge.ff", "only");
  const read = await startWaiting("ARRIVES", [
    { code: "ST-1", blocked_by: ["ST-2", "ST-3"] },
    { code: "ST-2" },
    { code: "ST-3" },
  ]);
  const exec =
    'test "$BACKLOOM_TASK_CODE" = T-ST-1 && { cat T-ST-2 T-ST-3 > both || exit 1; }; echo "$BACKLOOM_TASK_CODE" > "$BACKLOOM_TASK_CODE"';
  await work("ARRIVES", exec);
  await work("ARRIVES", exec);
  const output = await work("ARRIVES", exec);
  expect(output).toContain("Merged the work of T-ST-2");
  const run = await read();
  expect(run.jobs.map(({ task_code, status }) => [task_code, status])).toEqual([
    ["T-ST-2", "done"],
    ["T-ST-3", "done"],
    ["T-ST-1", "done"],
  ]);
  const last = run.jobs[2];
  expect(git("show", `${last?.branch}:both`)).toBe("T-ST-2\nT-ST-3");
  expect(git("diff", "--name-only", String(last?.base_sha), String(last?.head_sha))).toBe("T-ST-1\nboth");
});

it("Two dependencies that do not merge with each other pause the run, with their names and files", async () => {
  const read = await startWaiting("CLASH", [
    { code: "ST-1", blocked_by: ["ST-2", "ST-3"] },
    { code: "ST-2" },
    { code: "ST-3" },
  ]);
  const exec = 'echo "$BACKLOOM_TASK_CODE" > same';
  await work("CLASH", exec);
  // With its branch gone no one has seen that they do not go together.
  git("branch", "-D", String((await read()).jobs[0]?.branch));
  await work("CLASH", exec);
  await work("CLASH", exec);
  expect(await read()).toMatchObject({
    status: "paused",
    pause_context: { reason: "T-ST-3 does not merge with T-ST-2", conflict_files: ["same"] },
  });
});

describe("what ends without delivering", { timeout: 120_000 }, () => {
  /** T-2 adds nothing to its branch; T-3, on another one, waits for it, and T-4, on the branch of T-2, for T-3. */
  async function siblings(code: string, verify_only = false) {
    const task = (n: number, blocked_by: string[] = []) => ({ title: `Task ${n}`, code: `T-${n}`, blocked_by });
    const read = await startWaiting(code, [
      { code: "ST-1", tasks: [task(1), { ...task(2), verify_only }, task(4, ["T-3"])] },
      { code: "ST-2", tasks: [task(3, ["T-2"])] },
    ]);
    const jobOf = async (n: number) =>
      at(
        (await read()).jobs.filter((j) => j.task_code === `T-${n}`),
        0,
      );
    const finishByHand = async () =>
      updateTask(t.actorOf(ada), { task_id: String((await jobOf(2)).task_id), status: "done" });
    const exec = [
      'case "$BACKLOOM_TASK_CODE" in',
      "T-1) echo one > one-of-T-1;;",
      "T-3) cat one-of-T-1 > three || exit 1;;",
      "T-4) cat three > four || exit 1;;",
      "esac",
    ].join("\n");
    return { read, jobOf, finishByHand, go: () => work(code, exec, "--test", "true") };
  }

  /** T-3 and T-4 are done with the code of T-1, which only the branch of T-2 has. */
  async function expectCode({ jobOf, go }: Awaited<ReturnType<typeof siblings>>) {
    await go();
    expect(await jobOf(3)).toMatchObject({ status: "done" });
    await go();
    expect(await jobOf(4)).toMatchObject({ status: "done" });
    expect(git("show", `${(await jobOf(4)).branch}:four`)).toBe("one");
  }

  it("A task that waits for one with nothing left to do begins with its code once a person confirms that", async () => {
    const scene = await siblings("SKIPS");
    await scene.go();
    await scene.go();
    expect((await scene.jobOf(2)).status).toBe("skipped");
    await scene.finishByHand();
    await expectCode(scene);
  });

  it("A task that waits for one that only verifies begins with the code of that branch", async () => {
    const scene = await siblings("VERIFIES", true);
    await scene.go();
    await scene.go();
    expect((await scene.jobOf(2)).status).toBe("done");
    await expectCode(scene);
  });

  it("A task that waits for one finished by hand before its turn begins with the code of that branch", async () => {
    const scene = await siblings("BYHAND");
    await scene.go();
    await scene.finishByHand();
    await scene.go();
    expect((await scene.jobOf(2)).status).toBe("skipped");
    await expectCode(scene);
  });

  it("A task that waits for one cancelled and finished by hand begins with the code of that branch", async () => {
    const scene = await siblings("CANCELS");
    await scene.go();
    await cancelAgentJob(t.actorOf(ada), { job_id: (await scene.jobOf(2)).id });
    await scene.finishByHand();
    await expectCode(scene);
  });
});

describe("dependency_release: merged", { timeout: 120_000 }, () => {
  /** The first story is done on its branch; the second waits for its code on the main branch. */
  async function waiting(code: string, ...words: string[]) {
    const stories = [{ code: "ST-1" }, { code: "ST-2", blocked_by: ["ST-1"] }];
    const read = await startWaiting(code, stories, { dependency_release: "merged" });
    const file = `${code}-file`;
    await work(code, `echo one > ${file}`, ...words);
    const [first] = (await read()).jobs;
    return { read, file, branch: String(first?.branch) };
  }

  const idle = (product: string, exec: string, url = app.origin, ...words: string[]) => {
    const named = ["--url", url, "--name", `idle-${product}`, "--exec", exec];
    return serve(product, [...named, "--until-idle", ...words]);
  };

  it("An idle worker asks in growing pauses while a task waits for a merge", async () => {
    const { read } = await waiting("PATIENT");
    const gate = await openToolGate(app.port);
    const worker = idle("PATIENT", "echo two > two", gate.url);
    const pauses = () => gate.given("wait_for_job").map((given) => "wait_seconds" in given && given.wait_seconds);
    await vi.waitFor(() => expect(pauses().slice(0, 3)).toEqual([0, 1, 2]), 60_000);
    expect((await read()).jobs.map(({ status }) => status)).toEqual(["done", "queued"]);
    expect(await worker.end("SIGTERM"), worker.output()).toBe(0);
  });

  it("An idle worker that asks again and again does not fetch from the remote each time", async () => {
    const clone = join(home, "clone");
    git("clone", "--quiet", repo, clone);
    await waiting("SPARING", "--repo", clone);
    const log = join(home, "fetches");
    const script = join(home, "upload-pack.sh");
    const lines = ["#!/bin/sh", `echo asked >> ${log}`, 'exec git-upload-pack "$@"'];
    writeFileSync(script, lines.join("\n"), { mode: 0o755 });
    gitIn(clone)("config", "remote.origin.uploadpack", script);
    const gate = await openToolGate(app.port);
    const worker = idle("SPARING", "echo two > two", gate.url, "--repo", clone);
    await vi.waitFor(() => expect(gate.given("wait_for_job").length).toBeGreaterThan(3), 60_000);
    expect(await worker.end("SIGTERM"), worker.output()).toBe(0);
    expect(read(log)).toBe("asked\n");
  });

  it.each([
    {
      code: "MERGES",
      how: (there: typeof git, branch: string) => there("merge", "--quiet", "--no-ff", "-m", "Merge", branch),
    },
    {
      code: "SQUASHES",
      how: (there: typeof git, branch: string) => {
        there("merge", "--quiet", "--squash", branch);
        there("commit", "--quiet", "-m", "One commit instead");
      },
    },
  ])("An idle worker sees that main has a task's work ($code), and the next begins with it", async ({ code, how }) => {
    const { read, file, branch } = await waiting(code);
    const worker = idle(code, `cat ${file} > ${code}-copy`);
    await worker.said(/No job: .*for other tasks/);
    expect((await read()).jobs.map(({ status }) => status)).toEqual(["done", "queued"]);
    // The main branch moves once, with all of it: the worker looks at any moment.
    const aside = join(home, `${code}-aside`);
    git("worktree", "add", "--quiet", "--detach", aside, "main");
    const there = gitIn(aside);
    how(there, branch);
    // Worked on after the merge: merging the old commit again would conflict.
    writeFileSync(join(aside, file), "two\n");
    there("commit", "--quiet", "--all", "-m", "Go on");
    git("merge", "--quiet", "--ff-only", there("rev-parse", "HEAD"));
    expect(await worker.ended, worker.output()).toBe(0);
    expect(worker.output()).toContain("The main branch has the work of T-ST-1");
    const [first, second] = (await read()).jobs;
    expect([first?.merged_at, second?.status]).toEqual([expect.any(String), "done"]);
    expect(git("show", `${second?.branch}:${code}-copy`)).toBe("two");
  });
});
