import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { type BrowserContext, expect } from "@playwright/test";
import { exportDocumentSchema } from "~/nouns/transfers/export-document";
import { backlogSchema } from "~/wire/products/contract";
import { blockersDetailSchema, type SprintRunDetail, sprintRunDetailSchema } from "~/wire/sprint-runs/contract";
import { connectClient, type ToolClient } from "../mcp/clients";
import { writeBacklogFolder } from "./backlog-folder";
import { admin } from "./commands";
import { column, openLive } from "./places";
import { testWithTerminal as test } from "./programs";
import { lastId, newToken, post } from "./world";

const storyCount = 20;
/** Another Backlog.md folder may take the place of the written one. */
const givenFolder = process.env.BACKLOG_FOLDER;

type Git = (...words: string[]) => string;

function makeRepository(folder: string): Git {
  const git = (...words: string[]) => execFileSync("git", words, { cwd: folder, encoding: "utf8" }).trim();
  const author = ["-c", "user.name=Ada", "-c", "user.email=ada@example.com"];
  mkdirSync(folder);
  git("init", "--quiet", "--initial-branch=main");
  git(...author, "commit", "--quiet", "--allow-empty", "-m", "Begin");
  return git;
}

/** A sprint of the first open stories, one branch each; a story without a task gets one. Resolves with its address. */
async function planSprint(context: BrowserContext, agent: ToolClient, productId: string) {
  const product = `/products/${productId}`;
  await post(context, `${product}/settings`, { intent: "update", pr_strategy: "STORY" });
  const sprint = await post(context, `${product}/sprints`, { sprint_goal: "Twenty stories" });
  const answer = await context.request.get(`/api/products/${productId}/backlog`);
  const { pbis, storiesByPbi, tasksByStory } = backlogSchema.parse(await answer.json());
  const stories = pbis.flatMap(({ id }) => storiesByPbi[id] ?? []);
  for (const { id, title } of stories.filter(isOpen).slice(0, storyCount)) {
    if (!tasksByStory[id]?.length) await agent.call("create_task", { story_id: id, title });
    const form = { intent: "add-story", sprint_id: lastId(sprint), story_id: id };
    await post(context, sprint, form);
  }
  await post(context, sprint, { intent: "start-sprint" });
  return sprint;
}

const isOpen = (story: { status: string }) => story.status === "open";

/** What an agent does when it is told what is in the way of a run. */
async function planTasks(agent: ToolClient, sprintId: string) {
  const { isError, result } = await agent.call("start_sprint_run", { sprint_id: sprintId });
  expect(isError).toBe(true);
  for (const { task_id } of blockersDetailSchema.parse(result).blockers) {
    await agent.call("update_task_plan", { task_id, implementation_plan: "1. Write\n2. Test" });
  }
}

/** Each story's branch holds its tasks in their order, and nothing of the others. */
function expectBranches(git: Git, run: SprintRunDetail) {
  const branches = new Set(run.jobs.map((job) => String(job.branch)));
  expect(branches.size).toBe(storyCount);
  for (const branch of branches) {
    const subjects = git("log", "--reverse", "--format=%s", `main..${branch}`).split("\n");
    const codes = run.jobs.filter((job) => job.branch === branch).map((job) => job.task_code);
    expect(subjects.map((subject) => subject.split(":")[0])).toEqual(codes);
  }
}

/** The stories of the sprint, with their logs, as the export tells them. */
async function readSprint(product: string) {
  const { pbis } = exportDocumentSchema.parse(await admin("export", "--product", product));
  return pbis.flatMap((pbi) => pbi.stories).filter((story) => story.sprint !== null);
}

test("three workers finish a sprint of an imported backlog, although one is killed and one has to ask", async ({
  baseURL,
  home,
  terminal,
  owner: { name, context },
  ownPage: page,
}) => {
  test.setTimeout(420_000);
  const folder = givenFolder ?? writeBacklogFolder(join(home, "backlog"));
  const product = ["--owner", name, "--name", "Planes", "--code", name];
  const imported = await admin("import", "backlog-md", folder, ...product);
  const token = await newToken(context);
  const agent = await connectClient({ origin: String(baseURL) }, token);
  const sprint = await planSprint(context, agent, String(imported.id));

  await openLive(page, sprint);
  await page.getByRole("link", { name: "Start run" }).click();
  await expect(page.getByText(/\d+ blockers/)).toBeVisible();
  // From here on nothing is loaded again: the page itself shows what happens.
  const loads: string[] = [];
  page.on("load", () => loads.push(page.url()));
  await planTasks(agent, lastId(sprint));
  const start = page.getByRole("button", { name: /Start run of \d+ jobs/ });
  const jobs = Number(/\d+/.exec((await start.textContent()) ?? "")?.[0]);
  await start.click();
  await expect(page.getByRole("heading", { name: /Run of sprint SP-1/ })).toBeVisible();
  const runId = lastId(page.url());
  await page.getByRole("link", { name: "SP-1" }).click();
  await expect(page.getByRole("region", { name: `To do: ${jobs}` })).toBeVisible();

  const git = makeRepository(join(home, "repo"));
  const work = (worker: string, words: string) =>
    terminal(
      `exec node app/cli/launch.mjs worker --url ${baseURL} --token ${token} --repo ${home}/repo --name ${worker} ${words}`,
    );
  const unlucky = work("unlucky", "--exec 'sleep 600'");
  await expect(column(page, "In progress")).toContainText("unlucky");
  await unlucky.end("SIGKILL");

  const asking = work("asking", "--exec demo --demo-ask");
  await page.getByRole("link", { name: "1 waiting for you", exact: true }).click();
  await page.getByRole("button", { name: "In a separate file" }).click();
  await expect(page.getByText("Your inbox is empty")).toBeVisible();
  await page.goBack();

  // The killed one returns under its name: what it held is free again at once.
  const workers = [asking, work("third", "--exec demo"), work("unlucky", "--exec demo --heartbeat 1")];
  await expect(page.getByRole("region", { name: `Done: ${jobs}` })).toBeVisible({ timeout: 300_000 });
  await expect(column(page, "In progress")).toHaveAccessibleName("In progress: 0");
  await page.getByRole("link", { name: "Agents", exact: true }).click();
  await page.getByRole("link", { name: "Runs", exact: true }).click();
  await expect(page.getByRole("listitem").filter({ hasText: "SP-1" })).toContainText("Done");
  expect(loads).toEqual([]);

  const { result } = await agent.call("get_sprint_run", { sprint_run_id: runId });
  const run = sprintRunDetailSchema.parse(result);
  expect(run).toMatchObject({ status: "done", counts: { done: jobs } });
  // One was begun again after the kill, one after its question.
  expect(run.jobs.filter((job) => job.attempt === 2)).toHaveLength(2);
  for (const job of run.jobs) {
    expect(job).toMatchObject({ status: "done", verify_result: "ALIGNED", model_id: "demo" });
    expect(job.base_sha).toMatch(/^[0-9a-f]{40}$/);
    expect(job.pushed_at).not.toBeNull();
    git("merge-base", "--is-ancestor", String(job.head_sha), String(job.branch));
  }
  expectBranches(git, run);
  const files = run.jobs.map((job) => git("show", `${job.branch}:${job.task_code}.md`));
  expect(files.filter((text) => text.includes("In a separate file"))).toHaveLength(1);

  const stories = await readSprint(name);
  expect(stories.map(({ status }) => status)).toEqual(Array(storyCount).fill("DONE"));
  expect(stories.flatMap(({ log }) => log.filter(({ type }) => type === "COMMIT"))).toHaveLength(jobs);

  await Promise.all(workers.map((worker) => worker.end("SIGTERM")));
  expect(git("worktree", "list").split("\n")).toHaveLength(1);
  for (const worker of ["asking", "third", "unlucky"]) {
    expect(readdirSync(join(home, ".backloom/workers", worker, "worktrees"))).toEqual([]);
  }
  await page.getByRole("link", { name: "Workers" }).click();
  await expect(page.getByRole("cell", { name: "Stopped" })).toHaveCount(3);
  await agent.close();
});
