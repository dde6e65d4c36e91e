import { Cron } from "croner";
import { z } from "zod";
import type { Database } from "~/db/database.server";
import { type Actor, callAs } from "~/db/rpc.server";
import { operation, serviceOperation } from "~/nouns/operation.server";
import { ContractError } from "~/wire/errors";
import { type SetRecurrenceInput, storyRecurrenceSchema } from "~/wire/recurrences/contract";
import { storyIdInput } from "~/wire/stories/contract";

const readRecurrence = operation("get_recurrence", storyIdInput, storyRecurrenceSchema);

/** A story's schedule with its next three slots, and the template it comes from. */
export async function getRecurrence(actor: Actor, input: z.output<typeof storyIdInput>) {
  return withNext(await readRecurrence(actor, input));
}

/** Makes a story a recurring template, or changes its schedule. */
export async function setRecurrence(actor: Actor, { story_id, ...schedule }: SetRecurrenceInput) {
  const slots = nextSlots(schedule, 1, new Date());
  if (!slots?.[0]) {
    const message = slots
      ? "This schedule never runs. Choose a date that exists, for example 0 9 1 * * for the first day of each month."
      : 'This is not a cron line: minute 0-59, hour 0-23, day 1-31, month 1-12, weekday 0-6. For example "0 9 * * 1" is every Monday at 09:00.';
    throw new ContractError(422, message, { issues: [{ path: "cron", message }] });
  }
  const given = {
    p_story_id: story_id,
    p_cron: schedule.cron,
    p_zone: schedule.zone,
    p_missed: schedule.missed,
    p_next_at: slots[0].toISOString(),
  };
  return withNext(await callAs(actor, "set_recurrence", given, storyRecurrenceSchema));
}

/** Stops a story from recurring; it becomes a normal backlog story. */
export const deleteRecurrence = operation("delete_recurrence", storyIdInput, z.object({ story_id: z.string() }));

/** With the next three slots of the schedule. */
export function withNext({ recurrence, template }: z.output<typeof storyRecurrenceSchema>) {
  if (recurrence === null) return { recurrence, template };
  const next = nextSlots(recurrence, 3, new Date()) ?? [];
  return { recurrence: { ...recurrence, next: next.map((at) => at.toISOString()) }, template };
}

const listDueRecurrences = serviceOperation(
  "list_due_recurrences",
  z.object({}),
  z.object({
    now: z.coerce.date(),
    due: z.array(
      z.object({
        story_id: z.string(),
        cron: z.string(),
        zone: z.string(),
        /** Kept as the database wrote it, because it is compared there again. */
        due_at: z.string(),
      }),
    ),
  }),
);

const fireRecurrence = serviceOperation(
  "fire_recurrence",
  z.object({
    story_id: z.string(),
    due_at: z.string(),
    slot: z.string(),
    is_late: z.boolean(),
    next_at: z.string().nullable(),
  }),
  z.object({ outcome: z.enum(["fired", "open", "budget", "missed", "taken"]), story_id: z.string().nullish() }),
);

/**
 * Handles all due slots, each once even with several processes at the same time. A failure does not hold up the others.
 */
export async function fireDueRecurrences(database: Database) {
  const { now, due } = await listDueRecurrences(database);
  const outcomes: Awaited<ReturnType<typeof fireRecurrence>>["outcome"][] = [];
  const failures: unknown[] = [];
  for (const each of due) {
    await fireDue(database, each, now).then(
      ({ outcome }) => outcomes.push(outcome),
      (error: unknown) => failures.push(error),
    );
  }
  if (failures.length > 0) throw new AggregateError(failures, "Some stories could not recur");
  return outcomes;
}

type Due = Awaited<ReturnType<typeof listDueRecurrences>>["due"][number];

async function fireDue(database: Database, { story_id, due_at, ...schedule }: Due, now: Date) {
  const { slot, isLate, next } = dueSlot(schedule, new Date(due_at), now);
  return fireRecurrence(database, {
    story_id,
    due_at,
    slot: slot.toISOString(),
    is_late: isLate,
    next_at: next?.toISOString() ?? null,
  });
}

type Schedule = { cron: string; zone: string };

/** A slot not fired for this long was missed, because the service was not running. */
const patienceMilliseconds = 10 * 60_000;

/** A slot in the hour that daylight saving skips moves one hour later; one in the repeated hour fires once. */
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
