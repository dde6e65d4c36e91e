import type { Logger } from "pino";
import type { Database } from "~/db/database.server";
import { markNotice } from "~/domain/notices/mark-notice.server";
import { takeDueNotices } from "~/domain/notices/take-due-notices.server";
import { type DeliveryOptions, deliver } from "./deliver.server";

/** A notice is on its way within this time; any number of processes may look. */
const lookEveryMilliseconds = 1_500;
/** Longer than the slowest delivery, so that no second sender takes a notice that is under way. */
const leaseSeconds = 60;
const batchSize = 25;

export interface SenderOptions extends DeliveryOptions {
  database: Database;
  log: Logger;
}

/** Starts sending what the outbox holds. The returned function stops it and waits for deliveries under way. */
export function startNoticeSender(options: SenderOptions): () => Promise<void> {
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;
  let underWay: Promise<void> = Promise.resolve();

  const schedule = () => {
    if (stopped) return;
    timer = setTimeout(() => {
      underWay = sendUntilEmpty(options, () => stopped)
        .catch((error: unknown) => {
          options.log.warn({ err: error }, "sending notices failed and is tried again");
        })
        .finally(schedule);
    }, lookEveryMilliseconds);
    timer.unref();
  };
  schedule();

  return async () => {
    stopped = true;
    clearTimeout(timer);
    await underWay;
  };
}

async function sendUntilEmpty(options: SenderOptions, isStopped: () => boolean): Promise<void> {
  while (!isStopped() && (await sendDueNotices(options)) === batchSize) {
    // A full batch means that more may be due.
  }
}

/** Takes one batch of due notices, sends them side by side and writes down how each went. Returns how many it took. */
export async function sendDueNotices(options: SenderOptions): Promise<number> {
  const { notices } = await takeDueNotices(options.database, {
    limit: batchSize,
    lease_seconds: leaseSeconds,
  });
  await Promise.all(
    notices.map(async (notice) => {
      const outcome = await deliver(notice, options);
      await markNotice(options.database, { notice_id: notice.id, ...outcome });
    }),
  );
  return notices.length;
}
