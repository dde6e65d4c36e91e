import { expect, it } from "vitest";
import {
  heartbeatAgentJob,
  reportAgentJob,
  reportJobConflict,
  saveJobDiff,
} from "~/nouns/agent-jobs/operations.server";
import { getBudgets, setBudget } from "~/nouns/budgets/operations.server";
import { updateProduct } from "~/nouns/products/operations.server";
import { observePulls } from "~/nouns/pulls/operations.server";
import {
  cancelSprintRun,
  getSprintRun,
  preflightSprintRun,
  startSprintRun,
} from "~/nouns/sprint-runs/operations.server";
import { startOver } from "~/nouns/stories/operations.server";
import { openApp } from "../setup/app";
import { at, claim, claimRefusal, finish, wait } from "../setup/world";

const { t, app } = await openApp({ pages: true });

async function scene() {
  const plan = (story: number) => (story === 1 ? undefined : "1. Do it");
  const world = await t.seedSprint({ strategy: "STORY", stories: [1, 1], plan });
  const visitor = await app.visitorOf(world.owner);
  const run = (...items: string[]) =>
    `/products/${world.product.id}/runs/new?${new URLSearchParams(items.map((item) => ["item", item]))}`;
  const runOf = async (address: string | null) => {
    const id = /runs\/([0-9a-f-]{36})/.exec(address ?? "")?.[1] ?? "";
    return getSprintRun(world.actor, { sprint_run_id: id });
  };
  return { ...world, ...visitor, run, runOf };
}

it("A planned task starts where its ceiling is shown, and its run has a page without a sprint", async () => {
  const { stories, tasks, product, read, send, run, runOf } = await scene();
  const address = run(`task:${at(tasks, 1).id}`, `story:${at(stories, 0).id}`);
  const shown = (await read(address)).replaceAll(/<[^>]*>/g, "");
  expect(shown).toContain("Start run");
  // What it runs, who could do it, and what it may take.
  for (const { code, title } of [at(tasks, 0), at(tasks, 1)]) expect(shown).toContain(code + title);
  expect(shown).toMatch(/2 tasks.*No worker is online.*Not enough data for a forecast/s);
  for (const page of [`/tasks/${at(tasks, 1).id}`, `/stories/${at(stories, 0).id}`]) {
    const press = /<form[^>]*\/runs\/new"[^>]*>/.exec(await read(page))?.[0];
    expect(press, page).toContain('method="get"');
  }
  expect(shown).toContain("Stop each task at");
  const led = (await send(run(`task:${at(tasks, 1).id}`), [])).headers.get("location");
  const started = await runOf(led);
  expect(started).toMatchObject({ sprint_id: null, jobs_total: 1 });
  const page = await read(led ?? "");
  expect(page.replaceAll(/<[^>]*>/g, "")).toContain(`Run of ${at(started.jobs, 0).task_code}`);
  expect(page).not.toContain("/sprints/null");
  expect(await read(`/agents/runs?product=${product.id}`)).toContain(started.subject);
});

it("A run's blockers are listed with their cures, and leaving out the blocked task starts the rest", async () => {
  const { stories, tasks, send, run, runOf } = await scene();
  const items = stories.map(({ id }) => `story:${id}`);
  const refused = await send(run(...items), []);
  expect(refused.status).toBe(409);
  const page = await refused.text();
  expect(page).toContain("1 blocker");
  for (const cure of ["Agent plans first", "Use the description", "Leave it out"]) {
    expect(page).toContain(cure);
  }
  const without = await send(run(...items), [["cure", `without:task:${at(tasks, 0).id}`]]);
  expect(without.status).toBe(303);
  const started = await runOf(without.headers.get("location"));
  expect(started.jobs.map(({ task_id }) => task_id)).toEqual([at(tasks, 1).id]);
});

it("A sprint's board offers cures for its run's blockers and starts the run with them", async () => {
  const { product, sprint, read, submit, runOf } = await scene();
  const board = `/products/${product.id}/sprints/${sprint.id}?run=1`;
  expect(await read(board.replace("?run=1", ""))).not.toContain("Agent plans first");
  expect(await read(board)).toContain("Agent plans first");
  const led = await submit(board, "start-run", { cure: "plan_first leave_out" });
  expect(await runOf(led)).toMatchObject({ plan_first: true, jobs_total: 2 });
});

it("A run's page shows tasks that change the same file, and the pair that could not be merged", async () => {
  const { actor, owner, product, start } = await t.seedSprint({ strategy: "STORY", stories: [1, 1] });
  const run = await start();
  const { read } = await app.visitorOf(owner);
  const page = async () => (await read(`/products/${product.id}/runs/${run.id}`)).replaceAll(/<[^>]*>/g, "");

  const first = await claim(actor, "worker-1");
  const second = await claim(actor, "worker-2");
  for (const { id } of [first, second]) {
    await saveJobDiff(actor, {
      job_id: id,
      attempt: 1,
      base_sha: "a".repeat(40),
      head_sha: "b".repeat(40),
      files: [{ path: "src/same.ts", status: "added" as const, additions: 1, deletions: 0, binary: false }],
    });
  }
  const codes = [first, second].map(({ task }) => task?.code);
  const before = await page();
  expect(before).toContain("Some tasks change the same files");
  expect(before).toContain(`${codes[0]} and ${codes[1]}: src/same.ts`);

  await reportAgentJob(actor, { job_id: first.id, attempt: 1, status: "done", verify_result: "ALIGNED" });
  for (const attempt of [1, 2, 3]) {
    if (attempt > 1) await claim(actor, "worker-2");
    await reportJobConflict(actor, {
      job_id: second.id,
      attempt,
      kind: "sibling",
      branch: first.branch ?? "",
      ours_sha: "a".repeat(40),
      theirs_sha: "b".repeat(40),
      files: [{ path: "src/same.ts" }],
    });
  }
  const after = await page();
  expect(after).not.toContain("Some tasks change the same files");
  expect(after).toContain(`${codes[1]} does not merge with ${codes[0]}, even after two tries`);
  expect(after).toContain("src/same.ts");
});

const wordsOf = (html: string) => html.replace(/<[^>]*>/g, " ").replace(/\s+/g, " ");

it("The owner can set a run's budget on its page, is offered one in another unit, and can remove it", async () => {
  const world = await t.seedSprint({ strategy: "STORY", stories: [1] });
  const { id: sprint_run_id } = await world.start();
  const product_id = world.product.id;
  const path = `/products/${product_id}/runs/${sprint_run_id}`;
  const visitor = await app.visitorOf(world.owner);
  expect(wordsOf(await visitor.read(path))).toContain("Set a budget for this run");

  await visitor.submit(path, "set-budget", { amount: "1.5", unit: "EUR" });
  const one = wordsOf(await visitor.read(path));
  expect(one).toContain("€1.50 for this run");
  expect(one).toContain("Add a budget in another currency or in tokens");
  expect(one).not.toContain("Set a budget for this run");

  const { id } = at((await getBudgets(world.actor, { product_id, sprint_run_id })).budgets, 0);
  await visitor.submit(path, "delete-budget", { budget_id: id });
  expect(wordsOf(await visitor.read(path))).not.toContain("€1.50");
});

it("a budget of a task or sprint is in the settings, where it is taken away", async () => {
  const { actor, product, tasks, sprint, owner } = await t.seedSprint({ stories: [1] });
  const common = { product_id: product.id, unit: "EUR", amount: 1.5 };
  await setBudget(actor, { ...common, scope: "task", target_id: at(tasks, 0).id });
  await setBudget(actor, { ...common, scope: "sprint", target_id: sprint.id });
  const visitor = await app.visitorOf(owner);
  const path = `/products/${product.id}/settings/automation`;
  const shown = wordsOf(await visitor.read(path));
  expect(shown).toContain("€1.50 for task T-1");
  expect(shown).toContain("€1.50 for sprint SP-1");
  for (const { id } of (await getBudgets(actor, { product_id: product.id })).budgets) {
    await visitor.submit(path, "delete-budget", { budget_id: id });
  }
  expect(wordsOf(await visitor.read(path))).not.toContain("€1.50");
});

it("A run's page shows which tasks can start at once, which wait, and that no tokens were reported", async () => {
  const world = await t.seedSprint({ strategy: "STORY", stories: [1, 1, 1] });
  const { actor, product, start, owner } = world;
  await wait(actor, at(world.tasks, 2), at(world.tasks, 0));
  const stop_at = { unit: "USD", amount: 1 };
  const run = await start({ stop_at });
  const visitor = await app.visitorOf(owner);
  const read = async () => wordsOf(await visitor.read(`/products/${product.id}/runs/${run.id}`));
  expect(await read()).toContain("Step 1 Queued T-1 Queued T-2 Step 2 Queued T-3 blocked by T-1");

  // Its worker never returns: what it told is known to the budget only.
  const job = await claim(actor);
  const usage = { models: [{ model_id: "m", cost: 2 }] };
  await heartbeatAgentJob(actor, { job_id: job.id, attempt: job.attempt, usage });
  const stopped = await read();
  expect(stopped).toContain("$2.00 spent");
  expect(stopped).toContain("Tokens No data");
});

it("Sprint and story pages say what the next run begins from, and one press starts over from main", async () => {
  const world = await t.seedSprint({ strategy: "STORY", stories: [2, 1] });
  const { actor, product, sprint } = world;
  const story_id = String(at(world.tasks, 0).story_id);
  const run = await startSprintRun(actor, { sprint_id: sprint.id });
  const job = await claim(actor);
  const story = { kind: "story", id: story_id } as const;
  await expect(startOver(actor, story)).rejects.toThrow("There is nothing to discard");
  await finish(actor, job, { base_sha: "0".repeat(40), head_sha: "a".repeat(40), pushed_at: new Date().toISOString() });
  await expect(startOver(actor, story)).rejects.toThrow("Cancel it first, then start over");
  await cancelSprintRun(actor, { sprint_run_id: run.id });

  const visitor = await app.visitorOf(world.owner);
  const board = `/products/${product.id}/sprints/${sprint.id}?run=1`;
  const line = `${job.story?.code} continues ${job.branch}, not on main`;
  expect(await visitor.read(board)).toContain(line);
  expect(await visitor.read(board)).toContain("Start over from main");
  expect(await visitor.read(`/stories/${story_id}`)).toContain(line);

  await visitor.submit(`/stories/${story_id}`, "start-over");
  const page = await visitor.read(`/stories/${story_id}`);
  expect(page).toContain("started over from main");
  expect(page).toContain("Starts from main.");
  expect((await preflightSprintRun(actor, { sprint_id: sprint.id })).begins_from).toEqual([]);
  const rows = await t.query`select kind from audit_events where kind like 'story.%'`;
  expect(rows).toEqual([{ kind: "story.started_over" }]);
});

it("A claim names the earlier work that its branch has to hold", async () => {
  const world = await t.seedSprint({ strategy: "STORY", stories: [2] });
  const { actor, sprint } = world;
  const first = await startSprintRun(actor, { sprint_id: sprint.id });
  const job = await claim(actor);
  await finish(actor, job, { base_sha: "0".repeat(40), head_sha: "b".repeat(40), pushed_at: new Date().toISOString() });
  await cancelSprintRun(actor, { sprint_run_id: first.id });
  await startSprintRun(actor, { sprint_id: sprint.id });
  expect(await claim(actor)).toMatchObject({
    begins_from: [{ head_sha: "b".repeat(40), branch: job.branch, judged: true, task_code: job.task?.code }],
  });
});

it("Card, task, job and run show the state of the pull request, and the run how many have landed", async () => {
  const world = await t.seedSprint({ stories: [2] });
  const { actor, owner, product, sprint, start } = world;
  const repository = "https://code.example/acme/shop";
  await t.query`update products set repo_url = ${repository} where id = ${product.id}`;
  const cookie = await app.signIn(owner);
  const page = async (path: string) =>
    (await (await app.request(path, { headers: { cookie } })).text()).replaceAll("<!-- -->", "");
  const run = await start();
  const job = await claim(actor);
  const head_sha = "a".repeat(40);
  await finish(actor, job, { head_sha });
  const seen = { number: 7, url: "https://code.example/acme/shop/pulls/7", branch: job.branch ?? "", head_sha };
  const observe = (change: object) => {
    const pull = { ...seen, state: "open" as const, mergeable: true, observed_at: new Date().toISOString() };
    return observePulls(actor, { product_id: product.id, pulls: [{ ...pull, ...change }] });
  };
  const task = at(world.tasks, 0);
  const places = [
    `/products/${product.id}/sprints/${sprint.id}`,
    `/tasks/${task.id}`,
    `/jobs/${job.id}`,
    `/products/${product.id}/runs/${run.id}`,
  ];
  const all = () => Promise.all(places.map(page));

  for (const text of await all()) expect(text).not.toContain("data-pull");
  await observe({ ci: { state: "pending" }, review: "approved" });
  for (const [place, text] of (await all()).entries()) {
    expect(text, places[place]).toMatch(/href="https:\/\/code\.example\/acme\/shop\/pulls\/7"[^>]*data-pull/);
    expect(text).toContain("Pull request #7 · CI running · approved");
  }
  expect(at(await all(), 3)).toMatch(/Landed<\/dt><dd[^>]*>0 of 2/);
  await observe({ state: "merged" });
  for (const text of await all()) expect(text).toContain("Pull request #7 · merged");
  expect(at(await all(), 3)).toMatch(/Landed<\/dt><dd[^>]*>1 of 2/);
});

it("The owner can let tasks wait for merged code, and mark the code they wait for as merged", async () => {
  const world = await t.seedSprint({ strategy: "STORY", stories: [1, 1] });
  const { product } = world;
  const [first, second] = [at(world.tasks, 0), at(world.tasks, 1)];
  const visitor = await app.visitorOf(world.owner);
  await visitor.submit(`/products/${product.id}/settings/code-host`, "update", { dependency_release: "merged" });
  expect(await t.columnOf("products", product.id, "dependency_release::text")).toBe("merged");

  await wait(world.actor, second, first);
  await world.start();
  const job = await claim(world.actor);
  await finish(world.actor, job, { base_sha: "0".repeat(40), head_sha: "a".repeat(40) });

  const member = await t.createMember(product.id);
  const guest = await app.visitorOf(member);
  const seen = await guest.read(`/tasks/${second.id}`);
  expect(seen).toContain("its code is not on the main branch yet");
  expect(seen).not.toContain("Mark as merged");

  await visitor.submit(`/tasks/${second.id}`, "mark-merged");
  expect(await t.columnOf("agent_jobs", job.id, "merged_at")).not.toBeNull();
  expect((await claim(world.actor)).task?.code).toBe(second.code);
});

it("The owner can undo marking code as merged, unless an agent has begun what it freed", async () => {
  const world = await t.seedSprint({ strategy: "STORY", stories: [1, 1] });
  const { actor, product, owner } = world;
  const [first, second] = [at(world.tasks, 0), at(world.tasks, 1)];
  await updateProduct(actor, { product_id: product.id, dependency_release: "merged" });
  await wait(actor, second, first);
  await startSprintRun(actor, { sprint_id: world.sprint.id });
  const job = await claim(actor);
  await finish(actor, job, { base_sha: "0".repeat(40), head_sha: "a".repeat(40) });
  const visitor = await app.visitorOf(owner);
  const elsewhere = await app.visitorOf(owner);
  const page = `/tasks/${second.id}`;
  const say = async () => {
    const form = fieldsOf({ intent: "mark-merged", job_id: job.id, enhanced: "1" });
    const answer = await visitor.send(`${page}?_data=routes/_app.tasks.$taskId`, form);
    const message = `Noted. ${second.code} can start now`;
    expect(await answer.json()).toEqual({ ok: true, message, undo: true });
  };
  const undo = async (person = visitor) => {
    const answer = await person.send("/undo?_data=routes/_app.undo", fieldsOf({ enhanced: "1" }));
    return JSON.stringify(await answer.json());
  };
  const mergedAt = () => t.columnOf("agent_jobs", job.id, "merged_at");

  await say();
  expect(await undo(elsewhere)).toContain('"ok":true,"message":"Nothing to undo');
  expect(await mergedAt()).not.toBeNull();
  expect(await undo()).toContain(`Undone: merge state of ${first.code}`);
  expect(await mergedAt()).toBeNull();
  expect(await visitor.read(page)).toContain("Mark as merged");
  expect(await claimRefusal(actor)).toBe("dependency");
  await t.expectRightCounters();

  await say();
  const next = await claim(actor);
  expect(next.task?.code).toBe(second.code);
  const refusal = `${first.code} unblocked work that an agent has started since (${second.code}), so nothing was undone.`;
  expect(await undo()).toContain(refusal);
  await finish(actor, next, { base_sha: "a".repeat(40), head_sha: "b".repeat(40) });
  expect(await undo()).toContain(refusal);
  expect(await mergedAt()).not.toBeNull();
  const rows = await t.query`select kind from public.audit_events
    where detail ->> 'job_id' = ${job.id} order by created_at, id`;
  expect(rows.map(({ kind }) => kind)).toEqual(["job.merged", "job.merge_taken_back", "job.merged"]);
});

const fieldsOf = (fields: Record<string, string>) => Object.entries(fields);
