import pino from "pino";
import { type SenderOptions, sendDueNotices } from "~/notices/sender.server";

/** Sends one batch of what is due and waits until all of it is over; answers how many there were. */
export async function sendBatch(options: SenderOptions): Promise<number> {
  const deliveries = await sendDueNotices(options);
  await Promise.all(deliveries);
  return deliveries.length;
}

/** A sender of notices as a test has it: silent, and free to reach this machine. */
export const senderOf = (t: Pick<SenderOptions, "database">, vapid?: SenderOptions["vapid"]): SenderOptions => ({
  database: t.database,
  log: pino({ level: "silent" }),
  vapid,
  allowPrivateDestinations: true,
});
