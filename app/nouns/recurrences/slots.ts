import { Cron } from "croner";

interface Schedule {
  cron: string;
  zone: string;
}

/** A slot not fired for this long was missed, because the service was not running. */
const patienceMilliseconds = 10 * 60_000;

/**
 * A cron line in its time zone. A slot in the hour skipped by daylight saving time moves one hour later; one in the
 * repeated hour fires once.
 */
function slotsOf({ cron, zone }: Schedule): Cron {
  return new Cron(cron, { timezone: zone, paused: true, mode: "5-part" });
}

/** The next slots after a moment; undefined for an invalid cron line. */
export function nextSlots(schedule: Schedule, count: number, after: Date): Date[] | undefined {
  try {
    return slotsOf(schedule).nextRuns(count, after);
  } catch {
    return undefined;
  }
}

/** For a template whose slot `dueAt` has come: the last slot up to `now`, whether it is late, and the next one. */
export function dueSlot(schedule: Schedule, dueAt: Date, now: Date) {
  const slots = slotsOf(schedule);
  // Includes a slot at this very moment.
  const [last] = slots.previousRuns(1, new Date(now.getTime() + 1_000));
  const slot = last && last > dueAt && last <= now ? last : dueAt;
  const isLate = now.getTime() - slot.getTime() > patienceMilliseconds;
  return { slot, isLate, next: slots.nextRun(now) };
}
