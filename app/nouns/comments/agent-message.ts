import { z } from "zod";
import { idSchema, text } from "~/contract/text";
import { commentBody, messageStateSchema } from "./contract";

/** A message as the agent reads it. A repeated message has the same id. */
export const personMessageSchema = z.object({
  id: idSchema,
  about: z.string().describe("Code of the task or story"),
  author: z.string(),
  text: z.string(),
  sent_at: z.string(),
});
export type PersonMessage = z.infer<typeof personMessageSchema>;

/** Ids of the messages that the worker's agent has seen. */
export const seenMessagesSchema = z.array(text(36));

/** A message as its job's page shows it. */
export const jobMessageSchema = personMessageSchema.extend({
  comment_id: z.string(),
  state: messageStateSchema,
  reason: z.string().nullable(),
  attempt: z.int().nullable(),
  seen_at: z.string().nullable(),
});
export type JobMessage = z.infer<typeof jobMessageSchema>;

export const jobMessagesSchema = z.object({ messages: z.array(jobMessageSchema) });

export const messageJobInput = commentBody.extend({ job_id: idSchema });
