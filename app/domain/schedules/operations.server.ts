import { z } from "zod";
import { expiredQuestionsSchema, sweptSchema } from "~/contract/schedule";
import { noInput, serviceOperation } from "../operation.server";

/** Open questions past their expiry become expired, pending pairings cancelled (specification: Scheduled endpoints). */
export const expireQuestions = serviceOperation(
  "expire_questions",
  noInput,
  expiredQuestionsSchema,
);

/** Expired leases, questions on which work waits, and stale rows; safe in any number of processes. */
export const sweep = serviceOperation(
  "sweep",
  z.object({ full: z.boolean() }).partial(),
  sweptSchema,
);
