import { type ChildProcess, execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { Cron } from "croner";
import type { Logger } from "pino";
import { z } from "zod";
import type { Database } from "~/db/database.server";
import { callService } from "~/db/rpc.server";
import type { Env } from "~/env.server";
import { claimScheduledRun, missedPattern, startCron } from "./scheduler.server";

type BackupScheduleOptions = { database: Database; log: Logger; backups: Env["backups"]; folder: string };

/** In one process of an installation, as a child process: comparing a whole database would block requests. */
export function startBackupSchedule(options: BackupScheduleOptions): () => Promise<void> {
  const { schedule } = options.backups;
  if (schedule === undefined) return async () => undefined;
  let current: Program | undefined;
  const run = async (dueAt: Date) => {
    const claimed = await claimScheduledRun(options.database, "backup", dueAt);
    if (claimed === null) return;
    current = startProgram(options);
    const { path } = await current.answer;
    options.log.info({ backup: path }, "a backup was made");
    await callService(options.database, "finish_schedule_run", claimed, z.unknown());
  };
  const runMissed = async (now: Date) => {
    const [lastDue] = new Cron(schedule, { timezone: "UTC", paused: true }).previousRuns(1, now);
    if (lastDue) await run(lastDue);
  };
  const crons = [
    startCron(schedule, options, "backup", run),
    startCron(missedPattern, options, "missed backup", runMissed),
  ];
  return async () => {
    for (const cron of crons) cron.stop();
    // The child uses the embedded database too, and the last user stops that database, so end the child first.
    current?.child.kill("SIGTERM");
    await current?.answer.catch(() => undefined);
  };
}

type Program = { child: ChildProcess; answer: Promise<z.infer<typeof answerSchema>> };

const answerSchema = z.object({ path: z.string() });

function startProgram({ folder, backups }: BackupScheduleOptions): Program {
  const args = ["backup", "--keep", String(backups.keep), "--json"];
  const running = promisify(execFile)(process.execPath, [join(folder, "admin.js"), ...args]);
  const answer = running.then(({ stdout }) => answerSchema.parse(JSON.parse(stdout)));
  return { child: running.child, answer };
}
