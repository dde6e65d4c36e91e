import { Cron } from "croner";

interface Schedule {
  cron: string;
  zone: string;
}

/** A slot that nobody fired for so long was missed: the service was not running. */
const patienceMilliseconds = 10 * 60_000;

/** A cron line in its zone. An hour that a change of summer time leaves out moves on by one; one that comes twice counts once. */
function slotsOf({ cron, zone }: Schedule): Cron {
  return new Cron(cron, { timezone: zone, paused: true, mode: "5-part" });
}

/** The next slots after a moment; undefined for a line that cannot be read. */
export function nextSlots(schedule: Schedule, count: number, after: Date): Date[] | undefined {
  try {
    return slotsOf(schedule).nextRuns(count, after);
  } catch {
    return undefined;
  }
}

/** What is to be decided at `now` for a template whose slot `dueAt` has come: the last slot up to now and the one after. */
export function dueSlot(schedule: Schedule, dueAt: Date, now: Date) {
  const slots = slotsOf(schedule);
  // A slot at this very moment has come.
  const [last] = slots.previousRuns(1, new Date(now.getTime() + 1_000));
  const slot = last && last > dueAt && last <= now ? last : dueAt;
  const isLate = now.getTime() - slot.getTime() > patienceMilliseconds;
  return { slot, isLate, next: slots.nextRun(now) };
}
