import { join } from "node:path";
import { expect, it, vi } from "vitest";
import { createIdea } from "~/nouns/ideas/operations.server";
import { askAboutIdea } from "~/nouns/questions/operations.server";
import { cancelSprintRun } from "~/nouns/sprint-runs/operations.server";
import { gitIn, openStage, reachBySsh, startRun } from "./fixture";
import { flags } from "./flags";
import { sandboxProblem } from "./sandbox-scene";
import { openToolGate } from "./tool-gate";
import { endOf, isAlive, read, startWorker } from "./worker-process";

const { t, app, ada, token, home, repo, git, serve, serveOnce } = await openStage("--heartbeat", "0.3");

let kills = 0;

const start = (product: string, exec: string, ...words: string[]) => serve(product, ["--exec", exec, ...words]);
const workOnce = (product: string, exec: string, ...words: string[]) => serveOnce(product, ["--exec", exec, ...words]);

it("A worker gives its command files and environment, and commits what it left uncommitted", async () => {
  const run = await startRun(t, ada, { code: "PLAIN" });
  await workOnce(
    "PLAIN",
    'cp "$BACKLOOM_PROMPT_FILE" prompt.md; cp "$BACKLOOM_CONTEXT_FILE" context.json; env | grep BACKLOOM > env.txt',
  );
  const [job] = (await run.read()).jobs;
  expect(job).toMatchObject({ status: "done", verify_result: "PARTIAL" });
  const branch = String(job?.branch);
  expect(git("log", "-1", "--format=%s", branch)).toBe("T-1: Task 1");
  expect(git("show", `${branch}:prompt.md`)).toContain("Write a line");
  expect(JSON.parse(git("show", `${branch}:context.json`))).toMatchObject({ taskCode: "T-1" });
  const environment = git("show", `${branch}:env.txt`);
  expect(environment).toContain(`BACKLOOM_JOB_ID=${job?.id}`);
  expect(environment).not.toContain(token);
});

it("A task whose diff is empty is skipped", async () => {
  const skipped = await startRun(t, ada, { code: "EMPTY" });
  expect(await workOnce("EMPTY", "true")).toContain("nothing changed");
  expect((await skipped.read()).jobs).toMatchObject([
    { status: "skipped", verify_result: "EMPTY", task_status: "review" },
  ]);
});

it("A task whose command fails is failed with the reason, and nothing of it is delivered", async () => {
  const run = await startRun(t, ada, { code: "BROKEN", tasks: 2 });
  await workOnce("BROKEN", "echo written > file; echo it broke >&2; exit 3");
  const read = await run.read();
  expect(read).toMatchObject({ status: "failed", failure: { failure_class: "agent_error" } });
  expect(read.jobs.map((job) => job.status)).toEqual(["failed", "cancelled"]);
  expect(read.jobs[0]?.failure_reason).toContain("it broke");
  expect(() => git("rev-parse", "--verify", String(read.jobs[0]?.branch))).toThrow();
});

it("A failing test command fails the verification, and a passing one makes it ALIGNED", async () => {
  const bad = await startRun(t, ada, { code: "RED" });
  await workOnce("RED", "echo a > a", "--test", "echo 1 test failed; exit 1");
  expect((await bad.read()).jobs).toMatchObject([
    {
      status: "failed",
      failure_class: "verification_failed",
      verify_result: "DIVERGENT",
      evidence: { test: { passed: false, output: "1 test failed" } },
    },
  ]);
  const good = await startRun(t, ada, { code: "GREEN" });
  await workOnce("GREEN", "echo a > a", "--test", "test -f a");
  expect((await good.read()).jobs).toMatchObject([{ status: "done", verify_result: "ALIGNED" }]);
});

it("A rate-limited job goes back to the queue with its time, and no retry is counted", async () => {
  const run = await startRun(t, ada, { code: "LIMIT" });
  const resets = new Date(Date.now() + 3_600_000).toISOString();
  const result = JSON.stringify({ failure_class: "rate_limited", resets_at: resets });
  await workOnce("LIMIT", `echo '${result}' > "$BACKLOOM_RESULT_FILE"; exit 1`);
  const [job] = (await run.read()).jobs;
  expect(job).toMatchObject({ status: "queued", retry_count: 0 });
  expect(Date.parse(job?.not_before ?? "")).toBe(Date.parse(resets));
});

it.each([
  ["SIGKILL", "kill -9 $$"],
  ["SIGKILL", "(exit 137)"],
  ["SIGTERM", "exit 143"],
  ["SIGKILL", "exit 137", "--sandbox", "bwrap"],
  ["SIGKILL", "kill -9 $$", "--sandbox", "bwrap"],
])("Work whose command was ended by %s is tried again (%s %s %s)", async (signal, end, ...words) => {
  if (words.length > 0 && sandboxProblem !== null) return;
  const code = `KILLED${kills++}`;
  const run = await startRun(t, ada, { code });
  await workOnce(code, `echo a > a; ${end}`, ...words);
  expect((await run.read()).jobs).toMatchObject([
    {
      status: "queued",
      retry_count: 0,
      not_before: expect.any(String),
      failure_reason: expect.stringContaining(`The command was ended by ${signal}.`),
    },
  ]);
});

it("The tokens, model and summary of the result file reach the job", async () => {
  const run = await startRun(t, ada, { code: "USAGE" });
  const result = JSON.stringify({ summary: "All well", model_id: "m-1", input_tokens: 7, output_tokens: 3 });
  await workOnce("USAGE", `echo x > x; echo '${result}' > "$BACKLOOM_RESULT_FILE"`);
  expect((await run.read()).jobs).toMatchObject([
    { summary: "All well", model_id: "m-1", input_tokens: 7, output_tokens: 3 },
  ]);
});

it("A cancelled run stops the command at once with all that it started, long before the next heartbeat", async () => {
  const run = await startRun(t, ada, { code: "STOP" });
  const pidFile = join(home, "alive");
  const command = `sh -c 'echo $$ > ${pidFile}; while :; do sleep 0.1; done' & wait`;
  const worker = start("STOP", command, "--once", "--heartbeat", "3600");
  await vi.waitFor(() => expect(read(pidFile)).toMatch(/^\d+\n$/), { timeout: 60_000 });
  await cancelSprintRun(t.actorOf(ada), { sprint_run_id: run.runId });
  expect(await worker.said(/Told to stop: .*/)).toBeTruthy();
  await worker.ended;
  const pid = Number(read(pidFile));
  await vi.waitFor(() => expect(isAlive(pid)).toBe(false), { timeout: 60_000 });
  expect(gitIn(repo)("worktree", "list").split("\n")).toHaveLength(1);
});

it("A worker also hears of a cancel that came before it could listen", async () => {
  const run = await startRun(t, ada, { code: "BEFORE" });
  const gate = await openToolGate(app.port);
  const stream = gate.hold({ tool: "GET realtime", when: "before" });
  const begun = join(home, "before");
  const command = `echo x > ${begun}; while :; do sleep 0.1; done`;
  const words = ["--once", "--heartbeat", "3600", "--url", gate.url];
  const worker = start("BEFORE", command, ...words);
  await stream.reached;
  await expect.poll(() => read(begun)).toBe("x\n");
  await cancelSprintRun(t.actorOf(ada), { sprint_run_id: run.runId });
  stream.pass();
  await worker.said(/Told to stop: .*/);
  await worker.ended;
});

it("A worker sends one heartbeat at a time, whether the clock, a change or a push asks for it", async () => {
  await startRun(t, ada, { code: "TURNS" });
  const gate = await openToolGate(app.port);
  const beat = gate.hold({ tool: "job_heartbeat", when: "before" });
  const worker = start("TURNS", "echo x > x", "--once", "--url", gate.url);
  await beat.reached;
  await expect.poll(() => gate.given("verify_task_against_plan")).toHaveLength(1);
  beat.pass();
  expect(await worker.ended, worker.output()).toBe(0);
  expect(gate.given("job_heartbeat").length).toBeGreaterThan(1);
  expect(gate.mostAtOnce("job_heartbeat")).toBe(1);
});

it("A pull request is opened by the configured command when the product wants it", async () => {
  const run = await startRun(t, ada, { code: "PULL", product: { auto_pr: true } });
  await workOnce("PULL", "echo x > x", "--pr", 'echo "https://example.com/pr?b=$BACKLOOM_BRANCH"');
  const [job] = (await run.read()).jobs;
  expect(job?.pr_url).toBe(`https://example.com/pr?b=${job?.branch}`);
});

it("A batch is worked through as one job with evidence for each task", async () => {
  const run = await startRun(t, ada, { code: "BATCH", strategy: "SPRINT_BATCH", tasks: 3 });
  await workOnce("BATCH", "demo");
  const read = await run.read();
  expect(read).toMatchObject({ status: "done", jobs: [{ kind: "SPRINT_IMPLEMENTATION", status: "done" }] });
  expect(read.executions.map((entry) => [entry.status, entry.verify_result])).toEqual(
    Array.from({ length: 3 }, () => ["done", "ALIGNED"]),
  );
  expect(git("log", "--format=%s", `main..${read.branch}`).split("\n")).toHaveLength(3);
  expect(read.jobs[0]).toMatchObject({ input_tokens: 3600, model_id: "demo" });
});

it("The done tasks of a batch stay on its branch when a later one fails", async () => {
  const run = await startRun(t, ada, { code: "HALF", strategy: "SPRINT_BATCH", tasks: 2 });
  await workOnce("HALF", '[ "$BACKLOOM_TASK_CODE" = T-1 ] && echo x > x');
  const read = await run.read();
  expect(read.status).toBe("failed");
  expect(read.executions.map(({ status }) => status)).toEqual(["done", "failed"]);
  expect(git("log", "--format=%s", `main..${read.branch}`)).toBe("T-1: Task 1");
});

it("A question about an idea is answered without any repository", async () => {
  const actor = t.actorOf(ada);
  const { productId } = await startRun(t, ada, { code: "CHAT" });
  const idea = await createIdea(actor, { product_id: productId, title: "Dark mode" });
  await askAboutIdea(actor, { idea_id: idea.id, question: "Is it much work?" });
  await workOnce("CHAT", 'cat "$BACKLOOM_PROMPT_FILE" | grep -c "Is it much work"', "--kinds", "PLAN_CHAT");
  const rows = await t.query`select status, answer from user_questions`;
  expect(rows).toEqual([{ status: "ANSWERED", answer: "1" }]);
});

it("A worker clones the repository of the job and pushes the branch to it", async () => {
  const origin = join(home, "origin.git");
  git("clone", "--quiet", "--bare", repo, origin);
  const run = await startRun(t, ada, { code: "CLONE", product: { repo_url: `git@localhost:${origin}` } });
  await startWorkerWithoutRepo("CLONE");
  const [job] = (await run.read()).jobs;
  expect(job?.status).toBe("done");
  expect(gitIn(origin)("rev-parse", String(job?.branch))).toBe(job?.head_sha);
});

it("The demo makes a sample repository where there is none", async () => {
  const run = await startRun(t, ada, { code: "SAMPLE" });
  const fresh = join(home, "fresh");
  await workOnce("SAMPLE", "demo", "--repo", fresh);
  const [job] = (await run.read()).jobs;
  expect(gitIn(fresh)("log", "--format=%s", String(job?.branch)).split("\n")).toEqual([
    "T-1: Task 1",
    "Begin the sample repository",
  ]);
});

it("A worker whose repository is missing says so and leaves the job in the queue", async () => {
  const run = await startRun(t, ada, { code: "MISSING" });
  const worker = start("MISSING", "true", "--repo", join(home, "nowhere"));
  expect(await worker.ended).toBe(1);
  expect(worker.output()).toContain("does not exist");
  expect((await run.read()).jobs).toMatchObject([{ status: "queued" }]);
});

it("The worker that people download says in plain words what an option must be", async () => {
  const worker = start("WORDS", "true", "--timeout", "x");
  expect(await worker.ended).toBe(1);
  expect(worker.output()).toContain("--timeout: must be a number");
});

async function startWorkerWithoutRepo(product: string): Promise<void> {
  const words = [
    ...flags({ url: app.origin, token, "work-dir": join(home, "work"), once: true, name: "cloner" }),
    ...flags({ product, exec: "echo x > cloned.txt" }),
  ];
  await endOf(startWorker(words, reachBySsh(home)));
}
