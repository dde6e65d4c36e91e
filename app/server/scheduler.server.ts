import { Cron } from "croner";
import type { Logger } from "pino";
import { z } from "zod";
import type { Database } from "~/db/database.server";
import { callService } from "~/db/rpc.server";
import type { Env } from "~/env.server";
import { checkIdentities } from "~/nouns/identities/check-identities.server";
import { fireDueRecurrences } from "~/nouns/recurrences/recurrences.server";
import { sweep } from "~/nouns/schedules/operations.server";

/** The daily entries of the contract (specification: Schedules), in UTC. */
export const dailySchedule = [
  { name: "cleanup-agent-artifacts", pattern: "0 3 * * *" },
  { name: "expire-questions", pattern: "0 4 * * *" },
] as const;

/** For due entries whose call failed or whose process died. An unfinished claim expires after five minutes. */
export const missedPattern = "*/10 * * * *";
const callPatience = 60_000;

/** Expired leases must return to the queue within five seconds, so the sweep runs a little more often. */
const sweepEveryMilliseconds = 4_000;

interface SchedulerOptions {
  database: Database;
  log: Logger;
  /** Origin at which this process reaches itself, for example `http://127.0.0.1:3000`. */
  ownOrigin: string;
  /** Without a secret the endpoints refuse every call, so this process skips the daily entries. */
  cronSecret: string | undefined;
  /** Whether this process runs the daily entries (embedded mode). The sweep runs in every process. */
  daily: boolean;
}

/** Starts the schedule of one process. The returned function stops it and waits for a running sweep. */
export function startScheduler(options: SchedulerOptions): () => Promise<void> {
  const crons = options.daily && options.cronSecret ? startDaily(options) : [];
  const stopSweep = startSweep(options);
  return async () => {
    for (const cron of crons) cron.stop();
    await stopSweep();
  };
}

function startDaily(options: SchedulerOptions): Cron[] {
  const entries = dailySchedule.map(({ name, pattern }) =>
    startCron(pattern, options, name, (dueAt) => runScheduledEntry(options, name, dueAt)),
  );
  const missed = startCron(missedPattern, options, "missed entries", (now) => runMissedEntries(options, now));
  return [...entries, missed];
}

/** Starts one cron entry in UTC. Logs failures instead of throwing. */
export function startCron(
  pattern: string,
  { log }: Pick<SchedulerOptions, "log">,
  schedule: string,
  run: (dueAt: Date) => Promise<unknown>,
): Cron {
  return new Cron(pattern, { timezone: "UTC", protect: true }, async (cron: Cron) => {
    try {
      await run(cron.currentRun() ?? new Date());
    } catch (error) {
      log.error({ err: error, schedule }, "a scheduled entry failed and is tried again");
    }
  });
}

/** Runs each entry whose last due run was not finished. */
export async function runMissedEntries(options: EntryOptions, now: Date): Promise<void> {
  for (const { name, pattern } of dailySchedule) {
    const [lastDue] = new Cron(pattern, { timezone: "UTC", paused: true }).previousRuns(1, now);
    if (lastDue) await runScheduledEntry(options, name, lastDue, true);
  }
}

type EntryOptions = Pick<SchedulerOptions, "database" | "log" | "ownOrigin" | "cronSecret">;

/** Runs one entry if this process is the first to claim its due time. Returns whether it ran here. */
export async function runScheduledEntry(
  options: EntryOptions,
  name: (typeof dailySchedule)[number]["name"],
  dueAt: Date,
  wasMissed = false,
): Promise<boolean> {
  const run = await claimScheduledRun(options.database, name, dueAt, wasMissed);
  if (run === null) return false;

  const response = await fetch(`${options.ownOrigin}/api/cron/${name}`, {
    method: "POST",
    headers: { Authorization: bearerOf(options.cronSecret ?? ""), "Content-Type": "application/json" },
    body: "{}",
    signal: AbortSignal.timeout(callPatience),
  });
  if (!response.ok) throw new Error(`${name} answered ${response.status}`);
  options.log.info({ schedule: name, result: await response.json() }, "a scheduled entry ran");
  await callService(options.database, "finish_schedule_run", run, z.unknown());
  return true;
}

/** Claims a run for the first process that asks, which must finish it. Returns null to all others. */
export async function claimScheduledRun(database: Database, name: string, dueAt: Date, p_missed = false) {
  // Timers of the processes differ by milliseconds, so runs are identified by the minute.
  const minute = new Date(Math.floor(dueAt.getTime() / 60_000) * 60_000);
  const run = { p_name: name, p_due_at: minute.toISOString() };
  const claim = { ...run, p_missed };
  return (await callService(database, "claim_schedule_run", claim, z.boolean())) ? run : null;
}

/** `Authorization` value of the secret. Header strings are Latin-1, so non-ASCII letters are sent as UTF-8 bytes. */
const bearerOf = (secret: string): string => `Bearer ${Buffer.from(secret, "utf8").toString("latin1")}`;

function startSweep({ database, log }: SchedulerOptions): () => Promise<void> {
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;
  let underWay: Promise<void> = Promise.resolve();

  const schedule = () => {
    if (stopped) return;
    timer = setTimeout(() => {
      underWay = sweepAndStart(database)
        .catch((error: unknown) => log.warn({ err: error }, "the sweep failed and is tried again"))
        .finally(schedule);
    }, sweepEveryMilliseconds);
    timer.unref();
  };
  schedule();

  return async () => {
    stopped = true;
    clearTimeout(timer);
    await underWay;
  };
}

/** Cleans up in one call, then starts due recurring work, each slot once. Any number of processes may sweep at once. */
async function sweepAndStart(database: Database): Promise<void> {
  const { due_recurrences } = await sweep(database, {});
  if (due_recurrences > 0) await fireDueRecurrences(database);
}

type IdentityScheduleOptions = { database: Database; log: Logger; env: Pick<Env, "oidc" | "sessionSecrets"> };

/** Any process checks what is due, so an account that ended at the provider is noticed within half an hour. */
const everyFiveMinutes = "*/5 * * * *";

/** Starts checking connected accounts at the identity provider. The returned function stops it. */
export function startIdentitySchedule({ database, log, env }: IdentityScheduleOptions): () => void {
  const { oidc: settings, sessionSecrets } = env;
  if (!settings) return () => undefined;
  const cron = startCron(everyFiveMinutes, { log }, "identity checks", () =>
    checkIdentities({ database, log, settings, sessionSecrets }),
  );
  return () => cron.stop();
}
