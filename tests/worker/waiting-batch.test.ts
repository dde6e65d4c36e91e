import { join } from "node:path";
import { expect, it } from "vitest";
import { getAgentJob, whyNotMoving } from "~/nouns/agent-jobs/operations.server";
import { addDependency } from "~/nouns/dependencies/operations.server";
import { deleteTask, setTaskStatus } from "~/nouns/tasks/operations.server";
import type { ExportDocumentInput } from "~/nouns/transfers/export-document";
import { at, create } from "../setup/world";
import { makeBarrier } from "./barrier";
import { openStage, startStories } from "./fixture";
import { endOf } from "./worker-process";

const { t, ada, actor, home, git, serve } = await openStage("--heartbeat", "0.3");

type Story = { tasks: { code: string; blocked_by?: string[] }[]; code?: string; blocked_by?: string[] };

/** A batch of these stories, its run just started. */
async function startBatch(code: string, stories: Story[], product: Partial<ExportDocumentInput["product"]> = {}) {
  const all = stories.map(({ tasks, ...story }) => ({
    title: "A story",
    ...story,
    tasks: tasks.map((task) => ({ title: task.code, implementation_plan: "Do it", ...task })),
  }));
  const kind = { code, pr_strategy: "SPRINT_BATCH" as const };
  const { productId: id, read } = await startStories(t, ada, { ...kind, ...product }, all);
  const { executions } = await read();
  return {
    read,
    task: (taskCode: string) =>
      at(
        executions.filter(({ task_code }) => task_code === taskCode),
        0,
      ),
    job: async () => getAgentJob(actor, { job_id: at((await read()).jobs, 0).id }),
    pbi: async () => {
      const pbis = await t.sql.query("select id from pbis where product_id = $1", [id]);
      return { id: String(pbis.rows[0].id) };
    },
  };
}

const start = (product: string, exec: string) => serve(product, ["--exec", exec, "--test", "true", "--once"]);
const work = (product: string, exec: string) => endOf(start(product, exec));

/** Lets something happen while the worker is at one of its tasks. */
async function meanwhile(product: string, exec: string, atTask: string, act: () => Promise<void>) {
  const hold = makeBarrier(join(home, product));
  const worker = start(product, `test "$BACKLOOM_TASK_CODE" = ${atTask} && ${hold.script}; ${exec}`);
  await hold.reached(worker.output);
  await act();
  await hold.release();
  return endOf(worker);
}

const noteCode = 'echo "$BACKLOOM_TASK_CODE" >> done.txt';
const waitingPair = [{ code: "T-1" }, { code: "T-2", blocked_by: ["T-1"] }];

it("A batch continues when what a task waited for is there already", async () => {
  const batch = await startBatch("PRESENT", [{ tasks: waitingPair }]);
  await work("PRESENT", `test "$BACKLOOM_TASK_CODE" = T-1 || ${noteCode}`);
  const run = await batch.read();
  expect(run).toMatchObject({ status: "done", failure: null });
  expect(run.executions.map(({ status }) => status)).toEqual(["skipped", "done"]);
});

it("A batch continues when the blocker of its task waits for a person", async () => {
  const stories = waitingPair.map((task) => ({ tasks: [task] }));
  const batch = await startBatch("PERSON", stories, { done_requires: "person" });
  await work("PERSON", noteCode);
  const run = await batch.read();
  expect(run.failure).toBeNull();
  expect(run.executions.map(({ status }) => status)).toEqual(["done", "done"]);
  expect(await batch.job()).toMatchObject({ status: "queued", phase: "review", retry_count: 0 });
});

it("A batch returns to a task that began to wait for a later one while it is at work", async () => {
  const batch = await startBatch("LATER", [{ tasks: [{ code: "T-1" }, { code: "T-2" }, { code: "T-3" }] }]);
  const output = await meanwhile("LATER", noteCode, "T-1", async () => {
    const { task_id } = batch.task("T-2");
    await addDependency(actor, { kind: "task", id: task_id, blocked_by: "T-3" });
    await t.expectRightCounters();
  });
  expect(output).toContain("T-2 is blocked by T-3");
  const run = await batch.read();
  expect(run).toMatchObject({ status: "done", failure: null, jobs: [{ attempt: 1 }] });
  expect(git("show", `${run.branch}:done.txt`).split("\n")).toEqual(["T-1", "T-3", "T-2"]);
});

it("A batch continues when what a task waited for is opened again", async () => {
  const tasks = [{ code: "T-1" }, { code: "T-2" }, { code: "T-3", blocked_by: ["T-1"] }];
  const batch = await startBatch("OPENED", [{ tasks }]);
  await meanwhile("OPENED", noteCode, "T-2", async () => {
    await setTaskStatus(actor, { task_id: batch.task("T-1").task_id, status: "todo" });
    await t.expectRightCounters();
  });
  const run = await batch.read();
  expect(run).toMatchObject({ status: "done", failure: null });
  expect(git("show", `${run.branch}:done.txt`).split("\n")).toEqual(["T-1", "T-2", "T-3"]);
});

it("A batch that waits for a task outside of it returns without a retry, and is finished once that is done", async () => {
  const batch = await startBatch("OUTSIDE", [{ tasks: [{ code: "T-1" }, { code: "T-2" }] }]);
  const story = await create(actor, "create_story", { p_pbi_id: (await batch.pbi()).id, p_title: "Elsewhere" });
  const outside = await create(actor, "create_task", { p_story_id: story.id, p_title: "First", p_code: "T-9" });
  const output = await meanwhile("OUTSIDE", noteCode, "T-1", async () => {
    const { task_id } = batch.task("T-2");
    await addDependency(actor, { kind: "task", id: task_id, blocked_by: "T-9" });
  });
  expect(output).toContain("T-2 is blocked by T-9");
  expect(await batch.read()).toMatchObject({ status: "running", failure: null });
  const job = await batch.job();
  expect(job).toMatchObject({
    status: "queued",
    retry_count: 0,
    failure_reason: null,
    open_blockers: 1,
    attempts: [{ attempt: 1, outcome: "returned" }],
  });
  const why = await whyNotMoving(actor, { kind: "job", id: job.id });
  expect(at(why.reasons, 0)).toMatchObject({ code: "dependency", blocked_by: [{ code: "T-9" }] });
  await t.expectRightCounters();

  await setTaskStatus(actor, { task_id: outside.id, status: "done" });
  await work("OUTSIDE", noteCode);
  const run = await batch.read();
  expect(run).toMatchObject({ status: "done", jobs: [{ attempt: 2, retry_count: 0 }] });
  expect(git("show", `${run.branch}:done.txt`).split("\n")).toEqual(["T-1", "T-2"]);
});

it("A batch waits for all tasks of a story, also for those added later", async () => {
  const batch = await startBatch("GROWS", [
    { code: "ST-1", tasks: [{ code: "T-1" }] },
    { code: "ST-2", tasks: [{ code: "T-2" }], blocked_by: ["ST-1"] },
  ]);
  const further: string[] = [];
  await meanwhile("GROWS", noteCode, "T-1", async () => {
    for (const p_title of ["Deleted", "Done"]) {
      const p_story_id = batch.task("T-1").story_id;
      further.push((await create(actor, "create_task", { p_story_id, p_title })).id);
    }
    await t.expectRightCounters();
  });
  expect(await batch.job()).toMatchObject({ status: "queued", open_blockers: 1 });
  await deleteTask(actor, { task_id: at(further, 0) });
  await t.expectRightCounters();
  expect(await batch.job()).toMatchObject({ status: "queued", open_blockers: 1 });
  await setTaskStatus(actor, { task_id: at(further, 1), status: "done" });
  await t.expectRightCounters();
  await work("GROWS", noteCode);
  expect(await batch.read()).toMatchObject({ status: "done", failure: null });
});
