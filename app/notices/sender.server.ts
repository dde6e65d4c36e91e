import type { Logger } from "pino";
import type { DueNotice } from "~/contract/notice";
import type { Database } from "~/db/database.server";
import { markNotice, takeDueNotices } from "~/domain/notices/operations.server";
import { type DeliveryOptions, deliver, type Outcome } from "./deliver.server";

/** A notice is on its way within this time; any number of processes may look. */
const lookEveryMilliseconds = 1_500;
/** Longer than the slowest delivery, so that no second sender takes a notice that is under way. */
const leaseSeconds = 60;
/** A delivery that is not over by then counts as failed, whatever keeps it. */
const deliverWithinMilliseconds = 20_000;
const batchSize = 25;
/** So many receivers may be slow at the same time before anybody waits for them. */
const deliveriesAtOnce = 200;
/** What is under way at the stop has so long to end by itself; its notice comes due again when its lease is over. */
const stopWithinMilliseconds = 1_000;

export interface SenderOptions extends DeliveryOptions {
  database: Database;
  log: Logger;
}

/** Starts sending what the outbox holds. The returned function stops it and cuts off what takes longer than a second. */
export function startNoticeSender(options: SenderOptions): () => Promise<void> {
  const stopController = new AbortController();
  const { signal } = stopController;
  const underWay = new Set<Promise<void>>();
  let isStopped = false;
  let timer: NodeJS.Timeout | undefined;
  let looking: Promise<void> = Promise.resolve();

  const fill = async () => {
    for (let isMore = true; isMore && !isStopped; ) {
      const places = Math.min(batchSize, deliveriesAtOnce - underWay.size);
      if (places === 0) return;
      const deliveries = await sendDueNotices(options, places, signal);
      for (const delivery of deliveries) {
        underWay.add(delivery);
        void delivery.then(() => underWay.delete(delivery));
      }
      isMore = deliveries.length === places;
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
    }, lookEveryMilliseconds);
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

/**
 * Takes due notices and starts to send them side by side. Returns one promise for each that it took: of them none
 * waits for another, and none is ever rejected.
 */
export async function sendDueNotices(
  options: SenderOptions,
  limit = batchSize,
  signal?: AbortSignal,
): Promise<Promise<void>[]> {
  const { notices } = await takeDueNotices(options.database, {
    limit,
    lease_seconds: leaseSeconds,
  });
  return notices.map((notice) =>
    sendAndMark(notice, options, signal).catch((error: unknown) => {
      options.log.warn({ err: error, notice: notice.id }, "a notice is tried again later");
    }),
  );
}

async function sendAndMark(
  notice: DueNotice,
  options: SenderOptions,
  signal: AbortSignal | undefined,
): Promise<void> {
  const outcome = await inTime(deliver(notice, options, signal));
  // Cut off by the stop: nobody knows whether it arrived, so it is sent again with the same id.
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
