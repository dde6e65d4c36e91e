import { z } from "zod";
import { lessonLimits } from "../limits";
import { idSchema, requiredText } from "../text";
import { keptFileSchema } from "../upkeep/contract";

/** Why work came back to its agent. */
export const returnCauses = ["changes_requested", "proof_voided", "ci_failed"] as const;

export const lessonStatuses = ["proposed", "accepted", "declined", "retired"] as const;
const lessonVerdicts = ["accept", "decline", "retire"] as const;

const lessonText = requiredText(lessonLimits.text);

/** Lessons that come with a result. */
export const proposedLessons = z.array(lessonText).max(lessonLimits.perJob);

/** Tasks that came back for a cause, of tasks. */
const countSchema = z.tuple([z.int(), z.int()]);

export const lessonEffect = { before: countSchema, after: countSchema };

export const lessonSchema = z.object({
  id: z.string(),
  text: z.string(),
  status: z.enum(lessonStatuses),
  source: z.object({
    job_id: z.string().nullable(),
    task: z.object({ id: z.string(), code: z.string(), title: z.string() }).nullable(),
    cause: z.enum(returnCauses),
  }),
  accepted_by: z.string().nullable(),
  since: z.string().nullable(),
  ...lessonEffect,
  /** It is in force, and 30 tasks later as many come back as before. */
  proposes_end: z.boolean(),
});
export type Lesson = z.infer<typeof lessonSchema>;

export const lessonListSchema = z.object({
  lessons: z.array(lessonSchema),
  /** Files of the repository that follow the backlog by pull request. */
  files: z.array(keptFileSchema),
});

export const proposeLessonBody = z.object({ text: lessonText, job_id: idSchema });

export const proposeLessonInput = proposeLessonBody.extend({ product_id: idSchema });

export const decideLessonBody = z.object({
  verdict: z.enum(lessonVerdicts),
  /** What is accepted instead of the proposed text. */
  text: lessonText.optional(),
});

export const decideLessonInput = decideLessonBody.extend({ lesson_id: idSchema });
