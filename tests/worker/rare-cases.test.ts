import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { getAgentJob } from "~/nouns/agent-jobs/operations.server";
import { createIdea } from "~/nouns/ideas/operations.server";
import { answerQuestion, askAboutIdea } from "~/nouns/questions/operations.server";
import { cancelSprintRun, pauseSprintRun } from "~/nouns/sprint-runs/operations.server";
import { deleteTask, setTaskStatus } from "~/nouns/tasks/operations.server";
import { at } from "../setup/world";
import { makeBarrier } from "./barrier";
import { gitIn, openStage, reachBySsh, startRun } from "./fixture";
import { openToolGate } from "./tool-gate";
import { endOf, read } from "./worker-process";

const { t, app, ada, actor, home, repo, git, serve } = await openStage("--heartbeat", "0.3");

const start = (product: string, exec: string, ...words: string[]) =>
  serve(product, ["--exec", exec, ...words], reachBySsh(home));
const workOnce = (product: string, exec: string, ...words: string[]) => endOf(start(product, exec, "--once", ...words));

type Run = Awaited<ReturnType<typeof startRun>>;

async function tasksOf({ productId }: Run): Promise<{ id: string; code: string }[]> {
  const rows = await t.query`select id, code from tasks where product_id = ${productId} order by code`;
  return rows;
}

async function onlyJob({ read: readRun }: Run) {
  const run = await readRun();
  return getAgentJob(actor, { job_id: at(run.jobs, 0).id });
}

/** A command that leaves its result file as given. */
const saying = (result: object) => `echo '${JSON.stringify(result)}' > "$BACKLOOM_RESULT_FILE"`;
const used = { model_id: "m-1", input_tokens: 100, output_tokens: 20 };
const question = { question: "Which way?", options: ["Left", "Right"] };

/** Puts another commit on the branch of the run while the command works, with a file of the same name. */
function overtaking(run: Awaited<ReturnType<Run["read"]>>, file: string): string {
  const theirs = gitIn(repo);
  const blob = theirs("hash-object", "-w", "/etc/hostname");
  const list = join(home, "tree");
  return `printf '100644 blob ${blob}\\t${file}\\n' > ${list}; git -C ${repo} -c core.quotePath=false update-ref refs/heads/${run.branch} $(git -C ${repo} -c user.name=T -c user.email=t@example.com commit-tree -p main -m Theirs $(git -C ${repo} mktree < ${list})); echo ours > '${file}'`;
}

it("A changed file whose name is not ASCII is told by its name", async () => {
  const run = await startRun(t, ada, { code: "NAMES" });
  const gate = await openToolGate(app.port);
  const exec = "mkdir doc; echo a > doc/größe.md; echo b > '日本 \"x\".ts'";
  await workOnce("NAMES", exec, "--url", gate.url);
  expect((await onlyJob(run)).status).toBe("done");
  expect(gate.given("verify_task_against_plan")).toMatchObject([{ changed_files: ["doc/größe.md", '日本 "x".ts'] }]);
});

it("A batch asks about the task at work and continues with the answer", async () => {
  const run = await startRun(t, ada, { code: "ASKING", strategy: "SPRINT_BATCH", tasks: 2 });
  await workOnce("ASKING", "demo", "--demo-ask");
  const asked = await run.read();
  expect(asked).toMatchObject({ status: "running", jobs: [{ status: "queued", retry_count: 0 }] });
  const { questions } = await onlyJob(run);
  expect(questions).toMatchObject([{ status: "open", task_code: "T-1", park: true }]);
  await answerQuestion(actor, { question_id: at(questions, 0).id, option: 0 });
  await workOnce("ASKING", "demo");
  expect(await run.read()).toMatchObject({ status: "done", jobs: [{ retry_count: 0 }] });
});

it("A batch passes over a task that is deleted or finished by hand, without a retry", async () => {
  const run = await startRun(t, ada, { code: "TIDY", strategy: "SPRINT_BATCH", tasks: 4 });
  const [, second, third] = await tasksOf(run);
  const hold = makeBarrier(join(home, "tidy"));
  const worker = start("TIDY", `${hold.script}; echo $BACKLOOM_TASK_CODE >> done.txt`, "--once");
  await hold.reached(worker.output);
  await deleteTask(actor, { task_id: second?.id ?? "" });
  await setTaskStatus(actor, { task_id: third?.id ?? "", status: "done" });
  await hold.release();
  expect(await worker.ended, worker.output()).toBe(0);
  const end = await run.read();
  expect(end).toMatchObject({ status: "done", failure: null, jobs: [{ status: "done", attempt: 1, retry_count: 0 }] });
  expect(end.executions.map(({ status }) => status)).toEqual(["done", "done", "done"]);
  expect(git("show", `${end.branch}:done.txt`).split("\n")).toEqual(["T-1", "T-4"]);
});

it.each([
  ["DELFIRST", "while it waits"],
  ["DELWORK", "while it is worked on"],
])("%s: A batch outlives the task that its job names, deleted %s", async (code, when) => {
  const run = await startRun(t, ada, { code, strategy: "SPRINT_BATCH", tasks: 3 });
  const [first] = await tasksOf(run);
  const hold = makeBarrier(join(home, code));
  if (when === "while it waits") await deleteTask(actor, { task_id: first?.id ?? "" });
  const worker = start(code, `${hold.script}; echo $BACKLOOM_TASK_CODE >> done.txt`, "--once");
  await hold.reached(worker.output);
  if (when !== "while it waits") await deleteTask(actor, { task_id: first?.id ?? "" });
  await hold.release();
  expect(await worker.ended, worker.output()).toBe(0);
  const end = await run.read();
  expect(end).toMatchObject({ status: "done", jobs: [{ status: "done", retry_count: 0 }] });
  expect(end.executions.map(({ status }) => status)).toEqual(["done", "done"]);
  expect(git("show", `${end.branch}:done.txt`).split("\n")).toEqual(["T-2", "T-3"]);
});

it("A batch is as good as the worst of its tasks", async () => {
  const run = await startRun(t, ada, { code: "WORST", strategy: "SPRINT_BATCH", tasks: 2 });
  await workOnce("WORST", "echo x >> x");
  const job = await onlyJob(run);
  expect(job).toMatchObject({ status: "done", verify_result: "PARTIAL" });
  expect(job.evidence).toMatchObject({
    tasks: { "T-1": { verify_result: "PARTIAL" }, "T-2": { verify_result: "PARTIAL" } },
  });
});

it("A failed batch reports the class and the reason of its failure", async () => {
  const run = await startRun(t, ada, { code: "CLASS", strategy: "SPRINT_BATCH", tasks: 2 });
  await workOnce("CLASS", `echo x > x; ${saying({ verify_result: "DIVERGENT", ...used })}`);
  const end = await run.read();
  expect(end).toMatchObject({ status: "failed", input_tokens: 100 });
  expect(end.jobs).toMatchObject([{ status: "failed", failure_class: "verification_failed", model_id: "m-1" }]);
  expect(end.executions).toMatchObject([
    { status: "failed", failure_reason: expect.stringContaining("The gate needs") },
    { status: "pending" },
  ]);
});

it("A question on a branch with a conflict is asked, and the run waits for the conflict as well", async () => {
  const run = await startRun(t, ada, { code: "BOTH" });
  const overtake = overtaking(await run.read(), "straße.txt");
  await workOnce("BOTH", `${overtake}; ${saying({ question, ...used })}`);
  expect(await run.read()).toMatchObject({
    status: "paused",
    pause_context: { reason: "merge_conflict", conflict_files: ["straße.txt"] },
  });
  const job = await onlyJob(run);
  expect(job).toMatchObject({ status: "queued", retry_count: 0, input_tokens: 100 });
  expect(job.questions.map(({ question, status }) => [question, status])).toEqual([
    [expect.stringContaining("In conflict: straße.txt"), "open"],
    ["Which way?", "open"],
  ]);
});

it("A task that was finished by hand while its job waited is not done again, and the next one is in turn", async () => {
  const run = await startRun(t, ada, { code: "HAND", tasks: 2 });
  const [first] = await tasksOf(run);
  await setTaskStatus(actor, { task_id: first?.id ?? "", status: "done" });
  const done = join(home, "hand.txt");
  await workOnce("HAND", `echo $BACKLOOM_TASK_CODE >> ${done}; echo x > x`);
  await workOnce("HAND", `echo $BACKLOOM_TASK_CODE >> ${done}; echo x > x`);
  expect(read(done)).toBe("T-2\n");
  expect(await run.read()).toMatchObject({
    status: "done",
    jobs: [
      { status: "skipped", task_status: "done", retry_count: 0 },
      { status: "done", task_status: "done" },
    ],
  });
});

it.each([
  ["a question", "UASK", saying({ question, ...used }), "queued"],
  ["a failure", "UFAIL", `${saying(used)}; exit 1`, "failed"],
  ["a defect of the machine", "UGIT", `${saying(used)}; rm -r "$(git rev-parse --git-dir)"`, "failed"],
])("The usage of a job is known though it ends with %s", async (_what, code, exec, status) => {
  const run = await startRun(t, ada, { code });
  await workOnce(code, exec);
  expect(await onlyJob(run)).toMatchObject({ status, ...used });
});

it("A conflict in a run that a person has paused meanwhile counts no retry, and its usage is known", async () => {
  const run = await startRun(t, ada, { code: "PAUSED" });
  const hold = makeBarrier(join(home, "paused"));
  const exec = `${hold.script}; ${overtaking(await run.read(), "same")}; ${saying(used)}`;
  const worker = start("PAUSED", exec, "--once");
  await hold.reached(worker.output);
  await pauseSprintRun(actor, { sprint_run_id: run.runId });
  await hold.release();
  expect(await worker.ended, worker.output()).toBe(0);
  expect(await onlyJob(run)).toMatchObject({ status: "queued", retry_count: 0, ...used });
});

it("A cancelled run still shows what was used", async () => {
  const run = await startRun(t, ada, { code: "UCANCEL" });
  const hold = makeBarrier(join(home, "cancel"));
  const worker = start("UCANCEL", `${saying(used)}; ${hold.script}`, "--once");
  await hold.reached(worker.output);
  await cancelSprintRun(actor, { sprint_run_id: run.runId });
  await worker.ended;
  expect(await onlyJob(run)).toMatchObject({ status: "cancelled", ...used });
});

it("A cancelled run shows what was used also when its worker hears of the cancel by a refusal", async () => {
  const run = await startRun(t, ada, { code: "UREFUSED" });
  const gate = await openToolGate(app.port, { streams: false });
  const verdict = gate.hold({ tool: "verify_task_against_plan", when: "before" });
  const words = ["--once", "--heartbeat", "3600", "--url", gate.url];
  const worker = start("UREFUSED", `${saying(used)}; echo x > x`, ...words);
  await verdict.reached;
  await cancelSprintRun(actor, { sprint_run_id: run.runId });
  verdict.pass();
  expect(await worker.ended, worker.output()).toBe(0);
  expect(worker.output()).toContain("The attempt is over: This job was cancelled");
  expect(await onlyJob(run)).toMatchObject({ status: "cancelled", ...used });
});

it("A worker that is stopped in order gives its job back without a retry, no matter how often", async () => {
  const run = await startRun(t, ada, { code: "STOPS" });
  for (const attempt of [1, 2, 3, 4, 5]) {
    const worker = start("STOPS", "sleep 60");
    await worker.said(/Claimed .*/);
    expect(await worker.end("SIGTERM"), worker.output()).toBe(0);
    expect(await onlyJob(run), worker.output()).toMatchObject({ status: "queued", attempt, retry_count: 0 });
  }
});

describe("texts longer than the service takes", { timeout: 120_000 }, () => {
  const long = (name: string, length: number) =>
    `node -e 'require("fs").writeFileSync(process.env.BACKLOOM_RESULT_FILE, JSON.stringify({ ${name}: "é\\0".repeat(${length}) }))'`;

  it("A job is done although its summary is too long, which is shortened", async () => {
    const run = await startRun(t, ada, { code: "LONG" });
    await workOnce("LONG", `echo x > x; ${long("summary", 20_001)}`);
    const job = await onlyJob(run);
    expect(job.status).toBe("done");
    expect(job.summary).toHaveLength(20_000);
  });

  it("A job waits for its limit although the reason is too long, which is shortened", async () => {
    const run = await startRun(t, ada, { code: "LIMIT" });
    await workOnce("LIMIT", `${long('failure_class: "rate_limited", failure_reason', 4_001)}; exit 1`);
    expect(await onlyJob(run)).toMatchObject({ status: "queued", retry_count: 0 });
  });

  it("A question with too long a text and options is shortened", async () => {
    const run = await startRun(t, ada, { code: "ASKLONG" });
    const options = Array.from({ length: 10 }, () => "o".repeat(300));
    await workOnce("ASKLONG", saying({ question: { question: "q".repeat(5_000), options } }));
    const { questions } = await onlyJob(run);
    expect(questions.map((asked) => [asked.question.length, asked.options.length])).toEqual([[4_000, 8]]);
  });

  it("A too long answer to a question about an idea is shortened", async () => {
    const { productId } = await startRun(t, ada, { code: "CHAT" });
    const idea = await createIdea(actor, { product_id: productId, title: "Dark mode" });
    await askAboutIdea(actor, { idea_id: idea.id, question: "Is it much work?" });
    await workOnce("CHAT", long("summary", 20_001), "--kinds", "PLAN_CHAT");
    const rows = await t.query`select status, length(answer) as length from user_questions`;
    expect(rows).toEqual([{ status: "ANSWERED", length: 20_000 }]);
  });
});

it("A task with its own repository is worked on there by a worker that follows it", async () => {
  const own = join(home, "own.git");
  git("clone", "--quiet", "--bare", repo, own);
  const run = await startRun(t, ada, {
    code: "CROSS",
    product: { repo_url: "https://example.com/product.git" },
    task: { repo_url: `git@localhost:${own}` },
  });
  await workOnce("CROSS", "echo x > cross.txt", "--also-repo", `git@localhost:${own}`);
  const job = await onlyJob(run);
  expect(job.status).toBe("done");
  expect(gitIn(own)("rev-parse", String(job.branch))).toBe(job.head_sha);
  expect(() => git("rev-parse", "--verify", String(job.branch))).toThrow();
});
