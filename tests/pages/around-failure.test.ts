import { expect, it } from "vitest";
import { reportAgentJob } from "~/nouns/agent-jobs/operations.server";
import { updatePbi } from "~/nouns/pbis/operations.server";
import { getProduct, updateProduct } from "~/nouns/products/operations.server";
import { askQuestion } from "~/nouns/questions/operations.server";
import { getSprintRun, startRun, startSprintRun } from "~/nouns/sprint-runs/operations.server";
import { getTaskDetail } from "~/nouns/tasks/operations.server";
import { importBacklog } from "~/nouns/transfers/import-backlog.server";
import { readImport } from "~/nouns/transfers/read-import.server";
import { connectClient } from "../mcp/clients";
import { openApp } from "../setup/app";
import { at, claim, create, type SprintOptions } from "../setup/world";

const { t, app } = await openApp({ pages: true });

const unplanned = { plan: () => undefined, task: { p_description: "Say hello" } };

async function scene(options: SprintOptions = {}) {
  const world = await t.seedSprint(options);
  const visitor = await app.visitorOf(world.owner);
  const board = `/products/${world.product.id}/sprints/${world.sprint.id}?run=1`;
  const runPage = (id: string) => `/products/${world.product.id}/runs/${id}`;
  const runOf = (address: string | null) =>
    getSprintRun(world.actor, { sprint_run_id: /runs\/([0-9a-f-]{36})/.exec(address ?? "")?.[1] ?? "" });
  const end = (job: { id: string; attempt: number }, rest: object) =>
    reportAgentJob(world.actor, { job_id: job.id, attempt: job.attempt, status: "done", ...rest });
  const words = async (path: string) => wordsOf(await visitor.read(path));
  return { ...world, ...visitor, board, runPage, runOf, end, words };
}

const wordsOf = (html: string) =>
  html
    .replaceAll(/<script.*?<\/script>/gs, "")
    .replaceAll("<!-- -->", "")
    .replaceAll(/<[^>]*>/g, " ");

it("Trying a failed sprint run again keeps its plan-first setting", async () => {
  const { actor, sprint, end, submit, runPage, runOf } = await scene(unplanned);
  const run = await startSprintRun(actor, { sprint_id: sprint.id, plan_first: true });
  await end(await claim(actor), { status: "failed", failure_reason: "The push failed" });
  const again = await runOf(await submit(runPage(run.id), "try-again"));
  expect(again).toMatchObject({ plan_first: true, jobs_total: 3 });
});

it("Trying a failed run without a sprint again keeps its plan-first setting", async () => {
  const { actor, end, submit, runPage, runOf, tasks } = await scene({ ...unplanned, stories: [1] });
  const { run } = await startRun(actor, { task_ids: [at(tasks, 0).id], plan_first: true });
  await end(await claim(actor), { status: "failed", failure_reason: "The push failed" });
  expect(await runOf(await submit(runPage(run.id), "try-again"))).toMatchObject({ plan_first: true });
});

it("A blocked retry lists its blockers with their cures, and applying a cure repeats the retry", async () => {
  const { actor, sprint, end, send, runPage, runOf, tasks, stories, pbi } = await scene({ stories: [1] });
  const run = await startSprintRun(actor, { sprint_id: sprint.id });
  await end(await claim(actor), { status: "failed", failure_reason: "No" });
  await create(actor, "create_task", { p_story_id: at(stories, 0).id, p_title: "Later" });
  await updatePbi(actor, { pbi_id: pbi.id, status: "blocked" });
  const route = encodeURIComponent("routes/_app.products.$productId.runs_.$runId");
  const refused = await send(`${runPage(run.id)}?_data=${route}`, [["intent", "skip"]]);
  const answer: unknown = await refused.json();
  expect(refused.status).toBe(409);
  expect(answer).toMatchObject({ retry: "skip", plan_first: "ask" });
  const pressed = await send(runPage(run.id), [
    ["retry", "skip"],
    ["cure", `unblock:${pbi.id}`],
    ["cure", "plan_first"],
  ]);
  expect(pressed.status).toBe(303);
  const next = await runOf(pressed.headers.get("location"));
  expect(next.jobs.map(({ task_id }) => task_id)).not.toContain(at(tasks, 0).id);
});

it("A cure is kept while a blocker of another kind remains, and a blocked PBI is unblocked with one press", async () => {
  const { actor, board, pbi, send, runOf, tasks } = await scene({ ...unplanned, stories: [1] });
  await updatePbi(actor, { pbi_id: pbi.id, status: "blocked" });
  const start = (...cures: string[]) =>
    send(board, [["intent", "start-run"], ...cures.map((cure): [string, string] => ["cure", cure])]);
  const refused = await start("use_description");
  expect(refused.status).toBe(409);
  const page = await refused.text();
  expect(page).toContain('name="cure" value="use_description"');
  expect(wordsOf(page)).not.toContain("has no implementation plan");
  expect(wordsOf(page)).toContain(`Unblock ${pbi.code}`);
  const led = await start("use_description", `unblock:${pbi.id}`);
  expect(await runOf(led.headers.get("location"))).toMatchObject({ jobs_total: 1 });
  const { implementation_plan } = await getTaskDetail(actor, { task_id: at(tasks, 0).id });
  expect(implementation_plan).toBe("Say hello");
});

it("A question that blocks a run can be answered in the list of blockers", async () => {
  const { actor, board, read, words, tasks } = await scene({ stories: [1] });
  await askQuestion(actor, { task_id: at(tasks, 0).id, question: "Which words?" });
  expect(await read(board)).toContain('aria-label="Your answer"');
  expect(await words(board)).toContain("Send answer");
});

it("One press gives each open story without tasks a task of its own", async () => {
  const { board, words, send, stories, product } = await scene({ stories: [0, 0] });
  const page = await words(board);
  expect(page).toContain("Make one task of each story");
  const story = `/products/${product.id}/runs/new?item=story:${at(stories, 0).id}`;
  expect((await send(story, [])).status).toBe(409);
  const own = await send(story, [["cure", "make_tasks plan_first"]]);
  expect(own.status).toBe(303);
  await send(board, [["intent", "make-tasks"]]);
  const rows = await t.query`select s.title from public.tasks t join public.stories s
    on s.id = t.story_id and s.title = t.title where t.product_id = ${product.id} order by 1`;
  expect(rows).toEqual([{ title: "Story 1" }, { title: "Story 2" }]);
  expect(await words(board)).not.toContain("Make one task");
});

it("a run that only people can continue says so, and its finished jobs cannot be cancelled", async () => {
  const { actor, product, board, sprint, runPage, read, words, end, send } = await scene({ stories: [1] });
  await updateProduct(actor, { product_id: product.id, done_requires: "person" });
  const run = await startSprintRun(actor, { sprint_id: sprint.id });
  const job = await claim(actor);
  await end(job, { verify_result: "ALIGNED", head_sha: "bbb" });
  const pages = [runPage(run.id), `/agents/runs?product=${product.id}`, board, "/dashboard"];
  for (const path of pages) {
    const shown = await words(path);
    expect(shown, path).toContain("Waits for you: 1 review");
    expect(shown, path).not.toMatch(/\bRunning\b/);
  }
  const page = await read(runPage(run.id));
  expect(page).not.toContain('value="cancel-job"');
  expect(page).not.toContain("Time left");
  expect(await words(board)).toContain("Run: 1 of 1 job");

  await send(runPage(run.id), [["intent", "cancel"]]);
  expect(await words("/inbox?kind=review")).toMatch(/T-1 +Task 1\.1 .* Review /);
  const after = await words(board);
  expect(after).toContain("Waits for you: reviews");
  expect(after).not.toContain("Start run");
});

it("A run whose only job waits for an answer is shown as waiting, not as running", async () => {
  const { actor, sprint, product, runPage, words, tasks } = await scene({ stories: [1] });
  const run = await startSprintRun(actor, { sprint_id: sprint.id });
  const job = await claim(actor);
  const asked = { task_id: at(tasks, 0).id, question: "Which?", park: true, job_id: job.id, attempt: job.attempt };
  await askQuestion(actor, asked);
  for (const path of [runPage(run.id), `/agents/runs?product=${product.id}`]) {
    const shown = await words(path);
    expect(shown).toContain("Waits for you: 1 answer");
    expect(shown).not.toMatch(/\bRunning\b/);
  }
  expect(await words(runPage(run.id))).not.toMatch(/\bQueued\b/);
});

it("a run that is over says which branch is not on main", async () => {
  const { actor, sprint, runPage, words, end } = await scene({ stories: [1] });
  const run = await startSprintRun(actor, { sprint_id: sprint.id });
  const job = await claim(actor);
  await end(job, { verify_result: "ALIGNED", branch: job.branch, base_sha: "aaa", head_sha: "bbb" });
  expect(await words(runPage(run.id))).toContain(`git merge ${job.branch}`);
});

it("A product created over MCP or by an import gets the contract's default gates", async () => {
  const { owner, actor } = await scene({ stories: [] });
  const client = await connectClient(app, await t.createToken(owner));
  const made = (await client.call("create_product", { code: "DOOR", name: "Door" })).result;
  await client.close();
  const file = JSON.stringify([{ number: 1, title: "A", state: "OPEN", body: "", labels: [] }]);
  const files = [{ name: "a.json", bytes: new TextEncoder().encode(file) }];
  const prepared = await readImport({ format: "github", files }, owner.id);
  const target = { product_id: null, name: "Moved in", code: "MOVED" };
  const { product: moved } = await importBacklog(actor, target, prepared, false);
  const product = await getProduct(actor, { product_id: moved.id ?? "" });
  for (const each of [made, product]) {
    const gates = { done_requires: "none", agent_items: "backlog", on_failure: "stop" };
    expect(each).toMatchObject(gates);
  }
});

async function openWorld() {
  const world = await t.seedSprint({ stories: [2] });
  return { ...world, visitor: await app.visitorOf(world.owner) };
}

it("the page of a job pauses, resumes and stops the run that it belongs to", async () => {
  const { actor, start, visitor } = await openWorld();
  const run = await start();
  const job = await claim(actor);
  const page = `/jobs/${job.id}`;
  const status = async () => (await getSprintRun(actor, { sprint_run_id: run.id })).status;
  await visitor.submit(page, "pause");
  expect(await status()).toBe("paused");
  await visitor.submit(page, "resume");
  expect(await status()).toBe("running");
  await visitor.submit(page, "cancel");
  expect(await status()).toBe("cancelled");
});

it("A failed job's page shows the first line of the failure and tries again, in a sprint or not", async () => {
  const { actor, product, sprint, tasks, visitor } = await openWorld();
  const task_ids = tasks.map(({ id }) => id);
  for (const ofSprint of [false, true]) {
    const run = ofSprint
      ? await startSprintRun(actor, { sprint_id: sprint.id })
      : (await startRun(actor, { task_ids })).run;
    const job = await claim(actor);
    const failure_reason = "The tests fail.\nline 2 of a long output";
    const report = { status: "failed", failure_class: "agent_error", failure_reason } as const;
    await reportAgentJob(actor, { job_id: job.id, attempt: 1, ...report });
    const page = await visitor.read(`/jobs/${job.id}`);
    expect(page).toMatch(/<p[^>]*>The agent failed: The tests fail\.<\/p>/);
    expect(page).toMatch(/<details>.*line 2 of a long output/s);
    expect(await visitor.read(`/products/${product.id}/runs/${run.id}`)).toContain(
      "1 failed, 1 waiting: try again or skip",
    );
    const next = await visitor.submit(`/jobs/${job.id}`, "try-again");
    const { jobs } = await getSprintRun(actor, { sprint_run_id: next?.split("/").at(-1) ?? "" });
    expect(jobs.map(({ status, task_id }) => [status, task_id])).toEqual([
      ["queued", at(tasks, 0).id],
      ["queued", at(tasks, 1).id],
    ]);
    await visitor.submit(`/products/${product.id}/runs/${jobs[0]?.sprint_run_id}`, "cancel");
  }
});

it("A failed task can be skipped from the sprint's page or the inbox, and the rest continues", async () => {
  const { actor, product, sprint, tasks, visitor } = await openWorld();
  const task_ids = tasks.map(({ id }) => id);
  for (const ofSprint of [false, true]) {
    const run = ofSprint
      ? await startSprintRun(actor, { sprint_id: sprint.id })
      : (await startRun(actor, { task_ids })).run;
    const job = await claim(actor);
    const failed = { status: "failed", failure_reason: "No.\nAll of it" } as const;
    await reportAgentJob(actor, { job_id: job.id, attempt: 1, ...failed });
    const sprintPage = `/products/${product.id}/sprints/${sprint.id}`;
    for (const path of ["/inbox", ...(ofSprint ? [sprintPage] : [])]) {
      const page = await visitor.read(path);
      expect(page).toContain("1 failed, 1 waiting: try again or skip");
      expect(page).not.toContain("run failed");
    }
    expect(await visitor.read("/agents?state=all")).toMatch(/<summary[^>]*>No\.<\/summary>/);
    const next = await visitor.submit(ofSprint ? sprintPage : "/inbox", "skip");
    const { jobs } = await getSprintRun(actor, { sprint_run_id: next?.split("/").at(-1) ?? "" });
    expect(jobs.map(({ task_id }) => task_id)).toEqual([at(tasks, 1).id]);
    const { status } = await getTaskDetail(actor, { task_id: at(tasks, 0).id });
    expect(status).toBe("todo");
    expect(run.id).not.toBe(jobs[0]?.sprint_run_id);
    await visitor.submit(`/products/${product.id}/runs/${jobs[0]?.sprint_run_id}`, "cancel");
    if (!ofSprint) expect(await visitor.read(`/jobs/${job.id}`)).toContain("Run it again");
  }
});
