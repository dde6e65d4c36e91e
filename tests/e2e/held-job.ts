import { expect } from "@playwright/test";
import { z } from "zod";
import { connectClient } from "../mcp/clients";
import { newToken, newWorld, type Person } from "./world";

export const claimed = z.object({ job: z.object({ id: z.string(), attempt: z.number() }) });

/** A job that a worker of the person holds, driven by the test in its place. */
export async function heldJob(owner: Person, origin: string) {
  const world = await newWorld(owner.context);
  const token = await newToken(owner.context);
  const agent = await connectClient({ origin }, token, "2026-07-28", "/mcp");
  await agent.call("start_sprint_run", { sprint_id: world.sprintId });
  const { result } = await agent.call("wait_for_job", { worker: "laptop", wait_seconds: 0 });
  const { job } = claimed.parse(result);
  const put = async (files: readonly Record<string, unknown>[], attempt = job.attempt) => {
    const answer = await owner.context.request.put(`/api/jobs/${job.id}/diff`, {
      headers: { authorization: `Bearer ${token}` },
      data: { attempt, base_sha: "a".repeat(40), head_sha: "b".repeat(40), files },
    });
    expect(answer.status()).toBe(204);
  };
  return { ...job, world, token, agent, sendDiff: (...files: Record<string, unknown>[]) => put(files) };
}

/** One file with one hunk; the lines carry their signs. */
export function patchOf(path: string, lines: readonly string[]) {
  const count = (sign: string) => lines.filter((line) => line.startsWith(sign)).length;
  const [additions, deletions] = [count("+"), count("-")];
  const same = lines.length - additions - deletions;
  const header = `diff --git a/${path} b/${path}\n--- a/${path}\n+++ b/${path}\n`;
  const hunk = `@@ -1,${same + deletions} +1,${same + additions} @@\n${lines.join("\n")}\n`;
  return { path, status: "modified", additions, deletions, binary: false, patch: header + hunk };
}
