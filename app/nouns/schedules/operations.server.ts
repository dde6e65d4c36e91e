import { z } from "zod";
import { noInput, serviceOperation } from "~/nouns/operation.server";
import { expiredQuestionsSchema, sweptSchema } from "./contract";

/** Expires overdue open questions and cancels overdue pending pairings (specification: Scheduled endpoints). */
export const expireQuestions = serviceOperation(
  "expire_questions",
  noInput,
  expiredQuestionsSchema,
);

/** Handles expired leases, questions that work waits for, and stale rows; safe in any number of processes. */
export const sweep = serviceOperation(
  "sweep",
  z.object({ full: z.boolean() }).partial(),
  sweptSchema,
);
