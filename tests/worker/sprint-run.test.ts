import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it, vi } from "vitest";
import { exportDocumentSchema } from "~/contract/export-document";
import { answerQuestion } from "~/domain/questions/answer-question.server";
import { listQuestions } from "~/domain/questions/list-questions.server";
import { getSprintRun } from "~/domain/sprint-runs/get-sprint-run.server";
import { startSprintRun } from "~/domain/sprint-runs/start-sprint-run.server";
import { importDocument } from "~/domain/transfers/import-document.server";
import { createToken, startTestApp } from "../setup/app";
import { createTestDatabase } from "../setup/database";
import { createUser } from "../setup/users";
import { startWorker } from "./worker-process";

const storyCount = 20;
const taskCount = storyCount + storyCount / 2;
const t = await createTestDatabase({ realtime: true });
const app = await startTestApp(t);
const ada = await createUser(t, { username: "ada" });
const actor = t.actorOf(ada);
const token = await createToken(t, ada);
const home = mkdtempSync(join(tmpdir(), "backloom-worker-"));
afterAll(() => rmSync(home, { recursive: true, force: true }));
const repo = join(home, "repo");

const document = exportDocumentSchema.parse({
  format: "backloom-export",
  version: 1,
  product: { code: "WORK", name: "Work", pr_strategy: "STORY" },
  sprints: [{ code: "SP-1", sprint_goal: "All of it", status: "ACTIVE" }],
  pbis: [
    {
      code: "PBI-1",
      title: "Everything",
      stories: Array.from({ length: storyCount }, (_, story) => ({
        title: `Story ${story + 1}`,
        sprint: "SP-1",
        // Every other story has two tasks, which share its branch and come in order.
        tasks: [1, 2].slice(story % 2).map((task) => ({
          title: `Task ${task} of story ${story + 1}`,
          implementation_plan: `Write line ${task}`,
        })),
      })),
    },
  ],
});

function git(...words: string[]): string {
  return execFileSync("git", words, { cwd: repo, encoding: "utf8" }).trim();
}

function startWith(name: string, ...words: string[]) {
  return startWorker([
    ...["--url", app.origin, "--token", token, "--repo", repo, "--name", name],
    ...["--work-dir", join(home, "work"), "--heartbeat", "1", ...words],
  ]);
}

describe("three workers, a sprint with a branch for each story", () => {
  it("finish the run although one is killed and one has to ask", { timeout: 300_000 }, async () => {
    const { id: productId } = await importDocument(t.database, ada.id, document);
    const { rows } = await t.sql.query("select id from sprints where product_id = $1", [productId]);
    const run = await startSprintRun(actor, { sprint_id: rows[0].id });
    expect(run).toMatchObject({ status: "queued", jobs_total: taskCount });

    mkdirSync(repo);
    git("init", "--quiet", "--initial-branch=main");
    git(
      "-c",
      "user.name=Ada",
      "-c",
      "user.email=ada@example.com",
      "commit",
      "--quiet",
      "--allow-empty",
      "-m",
      "Begin",
    );

    // One worker hangs in its first job and is killed with it.
    const killed = startWith("unlucky", "--exec", "sleep 600");
    await killed.said(/Claimed .*/);
    killed.process.kill("SIGKILL");
    await killed.ended;

    const asking = startWith("asking", "--exec", "demo", "--demo-ask");
    await asking.said(/Asked: .*/);
    const { questions } = await listQuestions(actor, { product_id: productId, state: "open" });
    expect(questions).toHaveLength(1);
    const [question] = questions;
    await answerQuestion(actor, { question_id: question?.id ?? "", option: 1 });

    // The killed one comes back under its name: what it held is free again at once.
    const workers = [
      asking,
      startWith("third", "--exec", "demo"),
      startWith("unlucky", "--exec", "demo"),
    ];
    await vi.waitFor(
      async () => {
        const { status, counts } = await getSprintRun(actor, { sprint_run_id: run.id });
        expect({ status, done: counts.done }).toEqual({ status: "done", done: taskCount });
      },
      { timeout: 240_000, interval: 250 },
    );

    const finished = await getSprintRun(actor, { sprint_run_id: run.id });
    for (const job of finished.jobs) {
      expect(job).toMatchObject({
        status: "done",
        verify_result: "ALIGNED",
        model_id: "demo",
        base_sha: expect.stringMatching(/^[0-9a-f]{40}$/),
        pushed_at: expect.any(String),
      });
      expect(git("rev-parse", String(job.branch))).toMatch(/^[0-9a-f]{40}$/);
      git("merge-base", "--is-ancestor", String(job.head_sha), String(job.branch));
    }
    expect(new Set(finished.jobs.map((job) => job.branch)).size).toBe(storyCount);
    expect(Math.max(...finished.jobs.map((job) => job.attempt))).toBeGreaterThan(1);

    // Each story's branch holds its two tasks, in order, and nothing of the others.
    for (const branch of new Set(finished.jobs.map((job) => String(job.branch)))) {
      const subjects = git("log", "--reverse", "--format=%s", `main..${branch}`).split("\n");
      const codes = finished.jobs
        .filter((job) => job.branch === branch)
        .map((job) => job.task_code);
      expect(subjects.map((subject) => subject.split(":")[0])).toEqual(codes);
    }
    const asked = finished.jobs.find((job) => job.id === question?.job_id);
    expect(git("show", `${asked?.branch}:${asked?.task_code}.md`)).toContain(
      "In a file of its own",
    );

    const { rows: board } = await t.sql.query(
      `select distinct t.status as task, s.status as story, b.status as pbi
       from tasks t join stories s on s.id = t.story_id join pbis b on b.id = s.pbi_id`,
    );
    expect(board).toEqual([{ task: "DONE", story: "DONE", pbi: "DONE" }]);
    const { rows: logs } = await t.sql.query(
      "select count(*)::int as n from story_logs where type = 'COMMIT'",
    );
    expect(logs).toEqual([{ n: taskCount }]);

    for (const worker of workers) worker.process.kill("SIGTERM");
    expect(await Promise.all(workers.map((worker) => worker.ended))).toEqual([0, 0, 0]);
    expect(git("worktree", "list").split("\n")).toHaveLength(1);
    for (const name of ["asking", "third", "unlucky"]) {
      expect(readdirSync(join(home, "work/workers", name, "worktrees"))).toEqual([]);
    }
    const { rows: presence } = await t.sql.query(
      "select bool_and(stopped_at is not null) as gone from agent_workers",
    );
    expect(presence).toEqual([{ gone: true }]);
  });
});
