import type { Logger } from "pino";
import type { Database } from "~/db/database.server";
import { markNotice, takeDueNotices } from "~/nouns/notices/operations.server";
import type { DueNotice } from "~/wire/notices/contract";
import { type DeliveryOptions, deliver, type Outcome } from "./deliver.server";

/** Interval of polling the outbox. Any number of processes may poll. */
const pollMilliseconds = 1_500;
/** Longer than the slowest delivery, so that no second sender takes a notice that is being sent. */
const leaseSeconds = 60;
/** A delivery that takes longer counts as failed. */
const deliverWithinMilliseconds = 20_000;
const batchSize = 25;
/** Maximum parallel deliveries: this many receivers may be slow before other notices wait. */
const deliveriesAtOnce = 200;
/** On stop, running deliveries get this long to finish. Cut-off notices become due again when their lease expires. */
const stopWithinMilliseconds = 1_000;

export interface SenderOptions extends DeliveryOptions {
  database: Database;
  log: Logger;
}

/** Starts sending notices from the outbox. The returned function stops it, cutting off deliveries after a second. */
export function startNoticeSender(options: SenderOptions): () => Promise<void> {
  const stopController = new AbortController();
  const { signal } = stopController;
  const underWay = new Set<Promise<void>>();
  let isStopped = false;
  let timer: NodeJS.Timeout | undefined;
  let looking: Promise<void> = Promise.resolve();

  const fill = async () => {
    for (let isMore = true; isMore && !isStopped; ) {
      const free = Math.min(batchSize, deliveriesAtOnce - underWay.size);
      if (free === 0) return;
      const deliveries = await sendDueNotices(options, free, signal);
      for (const delivery of deliveries) {
        underWay.add(delivery);
        void delivery.then(() => underWay.delete(delivery));
      }
      isMore = deliveries.length === free;
    }
  };
  const schedule = () => {
    if (isStopped) return;
    timer = setTimeout(() => {
      looking = fill()
        .catch((error: unknown) => {
          options.log.warn({ err: error }, "taking due notices failed and is tried again");
        })
        .finally(schedule);
    }, pollMilliseconds);
    timer.unref();
  };
  schedule();

  return async () => {
    isStopped = true;
    clearTimeout(timer);
    await looking;
    const cut = setTimeout(() => stopController.abort(), stopWithinMilliseconds);
    await Promise.all(underWay);
    clearTimeout(cut);
  };
}

/** Takes due notices and sends them in parallel. Returns one promise per notice, none of which ever rejects. */
export async function sendDueNotices(
  options: SenderOptions,
  limit = batchSize,
  signal?: AbortSignal,
): Promise<Promise<void>[]> {
  const { notices } = await takeDueNotices(options.database, { limit, lease_seconds: leaseSeconds });
  return notices.map((notice) =>
    sendAndMark(notice, options, signal).catch((error: unknown) => {
      options.log.warn({ err: error, notice: notice.id }, "a notice is tried again later");
    }),
  );
}

async function sendAndMark(notice: DueNotice, options: SenderOptions, signal: AbortSignal | undefined): Promise<void> {
  const outcome = await inTime(deliver(notice, options, signal));
  // Cut off by the stop: it may have arrived, so it is sent again with the same id.
  if (signal?.aborted && !outcome.delivered) return;
  await markNotice(options.database, { notice_id: notice.id, ...outcome });
}

async function inTime(delivery: Promise<Outcome>): Promise<Outcome> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<Outcome>((resolve) => {
    const error = "The delivery took too long.";
    timer = setTimeout(() => resolve({ delivered: false, error }), deliverWithinMilliseconds);
  });
  return Promise.race([delivery, late]).finally(() => clearTimeout(timer));
}
