import { z } from "zod";
import { idSchema, text } from "../text";

export const missedChoices = ["once", "skip"] as const;

/** Only checks that there are five fields. recurrences.server.ts parses them. */
const cronSchema = text(200)
  .transform((line) => line.trim().split(/\s+/).join(" "))
  .refine((line) => line.split(" ").length === 5, {
    message: 'Use five fields: minute, hour, day, month, weekday. For example "0 9 * * 1" is every Monday at 09:00.',
  });

const zoneSchema = text(100).refine(isZone, {
  message: "Use the name of a time zone, for example Europe/Berlin or UTC.",
});

export const recurrenceBody = z.object({
  cron: cronSchema,
  zone: zoneSchema.default("UTC"),
  missed: z.enum(missedChoices).default("once"),
});

export const setRecurrenceInput = recurrenceBody.extend({ story_id: idSchema });
export type SetRecurrenceInput = z.infer<typeof setRecurrenceInput>;

/** Outcome of a slot: a story, or none because the last one is not done, a budget is reached, or it was missed. */
export const slotOutcomes = ["fired", "open", "budget", "missed"] as const;

export const recurrenceSchema = z.object({
  story_id: z.string(),
  cron: z.string(),
  zone: z.string(),
  missed: z.enum(missedChoices),
  next_at: z.string().nullable(),
  created_by_name: z.string().nullable(),
  last: z
    .object({
      slot: z.string(),
      outcome: z.enum(slotOutcomes),
      story_id: z.string().nullable(),
      story_code: z.string().nullable(),
    })
    .nullable(),
});
export type Recurrence = z.infer<typeof recurrenceSchema>;

export const storyRecurrenceSchema = z.object({
  recurrence: recurrenceSchema.nullable(),
  /** The template that this story was created from. */
  template: z.object({ id: z.string(), code: z.string(), title: z.string() }).nullable(),
});

/** A recurrence with its next slots, as the API and the page show it. */
export const shownRecurrenceSchema = storyRecurrenceSchema.extend({
  recurrence: recurrenceSchema.extend({ next: z.array(z.string()) }).nullable(),
});

function isZone(zone: string): boolean {
  try {
    return zone !== "" && new Intl.DateTimeFormat("en", { timeZone: zone }) !== undefined;
  } catch {
    return false;
  }
}
