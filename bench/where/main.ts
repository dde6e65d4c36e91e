import { startApp } from "../app";
import { createQueueWorld, startRuns } from "../jobs/world";
import { fill, userId } from "../pages/dataset";
import { idOf, insertToken } from "../rows";
import { median } from "../streams/statistics";
import { isWanted } from "../wanted";
import { jsonRequest, readTool, toolRequest } from "../worker-tools";
import { type Times, Watch } from "./watch";

/** How often each is asked, after some times that do not count. */
const times = Number(process.env.BENCH_ROUNDS ?? 60);
const warmUps = Math.min(10, times);
const columns = ["calls", "database", "session", "loaders", "render", "compress", "total"] as const;

/** Where the time of a page and of a call goes: one request at a time, medians in milliseconds. */
async function main(): Promise<void> {
  const watch = new Watch();
  const app = await startApp(watch);
  const { sql } = app;
  try {
    const { cookie, boardPath, backlogPath } = await fill(sql, app.sessionSecret);
    const queue = await createQueueWorld(sql, app.database, 2 * (times + warmUps), 1);
    await startRuns(queue);
    const token = await insertToken(sql, userId);
    const worker = await insertToken(sql, queue.userId);

    const ask = async (path: string, init: RequestInit) => {
      const answer = await fetch(`http://127.0.0.1:${app.port}${path}`, init);
      const text = await answer.text();
      if (!answer.ok) throw new Error(`${path}: ${answer.status} ${text}`);
      return { status: answer.status, text };
    };
    const page = (path: string) => () => ask(path, { headers: { cookie } });
    const api = (path: string) => () => ask(path, { headers: { authorization: `Bearer ${token}` } });
    const tool = async (name: string, given: Record<string, unknown>) =>
      readTool(await ask("/mcp/worker", toolRequest(worker, name, given))).structuredContent.job ?? undefined;
    let job: Awaited<ReturnType<typeof tool>>;
    const claim = async () => {
      job = await tool("wait_for_job", { worker: "bench", wait_seconds: 0 });
    };
    const report = () =>
      tool("update_job_status", { job_id: job?.id, attempt: job?.attempt, status: "done", verify_result: "ALIGNED" });

    const [product, sprint] = [idOf("product-board"), idOf("sprint-board")];
    const [task, story] = [idOf("task-board-1"), idOf("story-board-1")];
    const patch = () => {
      const status = Math.random() < 0.5 ? "todo" : "in_progress";
      return ask(`/api/tasks/${task}`, jsonRequest(token, "PATCH", { status }));
    };
    const rowsOf: readonly (readonly [
      string,
      ask: () => Promise<unknown>,
      before?: () => Promise<unknown>,
      after?: () => Promise<unknown>,
    ])[] = [
      ["board of 50 tasks", page(boardPath)],
      ["backlog of 440 rows", page(backlogPath)],
      ["task", page(`/tasks/${task}`)],
      ["story", page(`/stories/${story}`)],
      ["a story's changes", page(`/stories/${idOf("story-diff-1")}/changes`)],
      ["inbox", page("/inbox")],
      ["dashboard", page("/dashboard")],
      ["agent-context", api(`/api/products/${product}/agent-context`)],
      ["next-story", api(`/api/products/${product}/next-story`)],
      ["tasks of a sprint", api(`/api/sprints/${sprint}/tasks?limit=50`)],
      ["PATCH of a task", patch],
      ["claim", claim, undefined, report],
      ["report", report, claim],
    ];
    console.log(`| What | ${columns.join(" | ")} |\n|---|${"---|".repeat(columns.length)}`);
    for (const [name, asked, before, after] of rowsOf) {
      if (!isWanted(name)) continue;
      const taken: Times[] = [];
      for (let n = -warmUps; n < times; n++) {
        await before?.();
        const took = await watch.times(asked);
        await after?.();
        if (n >= 0) taken.push(took);
      }
      console.log(
        `| ${[name, ...columns.map((column) => shown(column, median(taken.map((took) => took[column]))))].join(" | ")} |`,
      );
    }
  } finally {
    await app.stop();
  }
}

const shown = (column: string, value: number) => (column === "calls" ? String(value) : value.toFixed(1));

await main();
// A service leaves its timers to the end of its process.
process.exit();
