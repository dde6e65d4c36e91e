import { setTimeout as pause } from "node:timers/promises";
import { readTool, toolRequest } from "../worker-tools";
import { askOnce, askUntilAnswered } from "./asking";
import { settings } from "./settings";

/** What workers were told is done: by job, the attempts. */
export type Done = Map<string, number[]>;

/** A worker takes a job, says that it runs, works, and says that it is done; until it is over and nothing is in its hands. */
export async function serve(
  origin: string,
  token: string,
  worker: string,
  done: Done,
  isOver: () => boolean,
): Promise<void> {
  const url = `${origin}/mcp/worker`;
  const call = async (name: string, input: Record<string, unknown>) =>
    readTool(await askUntilAnswered(url, toolRequest(token, name, input)));
  const giveBack = () => call("worker_heartbeat", { worker, stopped: true });

  await pause(Math.random() * settings.jobSeconds * 1_000);
  while (!isOver()) {
    const claimed = await askOnce(url, toolRequest(token, "wait_for_job", { worker, wait_seconds: 5 }));
    if (!claimed) {
      // It may have taken a job and not heard of it: that returns, and others take it.
      await pause(200 + Math.random() * 400);
      await giveBack();
      continue;
    }
    const { job } = readTool(claimed).structuredContent;
    if (!job) continue;
    const ofAttempt = { job_id: job.id, attempt: job.attempt };
    await call("update_job_status", { ...ofAttempt, status: "running" });
    await pause(settings.jobSeconds * 1_000 * (0.5 + Math.random()));
    const report = { ...ofAttempt, status: "done", verify_result: "ALIGNED" };
    const { isError, structuredContent } = await call("update_job_status", report);
    // Someone else has it by now: this one was away for longer than its lease.
    if (isError && structuredContent.code === 409) continue;
    if (isError) throw new Error(`The end of a job: ${JSON.stringify(structuredContent)}`);
    done.set(job.id, [...(done.get(job.id) ?? []), job.attempt]);
  }
  await giveBack();
}
