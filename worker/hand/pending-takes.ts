import { createHash } from "node:crypto";
import { mkdir, readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { z } from "zod";
import { agentJobSchema } from "~/wire/agent-jobs/contract";
import { writeWhole } from "../base/files";
import type { WorkerOptions } from "../base/options";
import { Refusal } from "../base/problems";
import { takeLock } from "../base/work-folder";
import { workerHomes } from "../job/open/taken";
import type { Service } from "../service/service";

/** Noted before it asks: after a kill, the same call with the same key has the same answer, so no one waits. */
const pendingTakeSchema = z.object({
  url: z.string(),
  key: z.string(),
  at_once: z.boolean(),
  /** What it got. */
  job: z.object({ id: z.string(), attempt: z.int() }).optional(),
});
export type PendingTake = z.output<typeof pendingTakeSchema>;

const folderOf = (home: string): string => join(home, "takes");

/** The file for one request: a take that asks the same finds it. */
export function pendingTakeFile(home: string, url: string, request: Record<string, unknown>): string {
  const name = createHash("sha256")
    .update(JSON.stringify({ url, wish: request }))
    .digest("hex");
  return join(folderOf(home), `${name}.json`);
}

/** Opens the note that a dead process may have left; null while a living one has it. */
export async function openPendingTake(file: string) {
  const lock = `${file}.pid`;
  await mkdir(join(file, ".."), { recursive: true });
  if (!(await takeLock(lock))) return null;
  const text = await readFile(file, "utf8").catch(() => "null");
  return {
    before: pendingTakeSchema.safeParse(JSON.parse(text)).data,
    note: (take: PendingTake) => writeWhole(file, JSON.stringify(take)),
    async forget(): Promise<void> {
      await rm(file, { force: true });
    },
    async close(): Promise<void> {
      await rm(lock, { force: true });
    },
  };
}

export type OpenPendingTake = NonNullable<Awaited<ReturnType<typeof openPendingTake>>>;

const checkMilliseconds = 5_000;

/** Gives back jobs that takes of this machine got and died before a person had the folder. */
export async function returnDeadTakes(
  { options, service }: { options: WorkerOptions; service: Service },
  over: AbortSignal,
): Promise<void> {
  while (!over.aborted) {
    for (const home of await workerHomes(options.workDir)) {
      const names = await readdir(folderOf(home)).catch(() => []);
      for (const name of names.filter((one) => one.endsWith(".json"))) {
        await returnDead(join(folderOf(home), name), options.url, service);
      }
    }
    await wait(checkMilliseconds, undefined, { signal: over }).catch(() => undefined);
  }
}

async function returnDead(file: string, url: string, service: Service): Promise<void> {
  const pending = await openPendingTake(file);
  if (pending === null) return;
  const { job, url: theirs } = pending.before ?? {};
  try {
    if (theirs !== url || job === undefined) return;
    const given = { job_id: job.id, attempt: job.attempt, status: "queued" };
    await service.call("update_job_status", given, agentJobSchema, { retry: false });
    await pending.forget();
  } catch (error) {
    // It is over, or the service is away for now.
    if (error instanceof Refusal) await pending.forget();
  } finally {
    await pending.close();
  }
}
