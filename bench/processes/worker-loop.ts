import { closedLoop } from "../jobs/closed-loop";
import { readTool, toolRequest } from "../worker-tools";

/** Workers that claim and report over the tools of /mcp/worker, as the real one does. Jobs a second. */
export function rateOfWorkers(port: number, token: string, workers: number, seconds: number): Promise<number> {
  const call = async (name: string, given: Record<string, unknown>) => {
    const answer = await fetch(`http://127.0.0.1:${port}/mcp/worker`, toolRequest(token, name, given));
    const result = readTool({ status: answer.status, text: await answer.text() });
    if (result.isError) throw new Error(`${name} was refused: ${JSON.stringify(result)}`);
    return result.structuredContent.job ?? undefined;
  };
  return closedLoop(workers, seconds, async (worker) => {
    const job = await call("wait_for_job", { worker: `loop-${worker}`, wait_seconds: 0 });
    if (!job) throw new Error("No job was left: ask for fewer rounds");
    const report = { job_id: job.id, attempt: job.attempt, status: "done" };
    await call("update_job_status", { ...report, verify_result: "ALIGNED" });
    return true;
  });
}
