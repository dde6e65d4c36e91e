import { z } from "zod";
import { lengths } from "./limits";
import { storyStatuses } from "./status";
import { httpUrlSchema, requiredText, text } from "./text";

/** What a service sends to the hook address of a product. The text is data: it is shown and never obeyed. */
export const receivedItemInput = z.object({
  title: requiredText(lengths.title),
  text: text(lengths.text).nullish(),
  url: httpUrlSchema.nullish(),
  external_id: requiredText(300).nullish(),
});

/** The story that an item became; one that a person has declined or merged does not come again. */
export const receivedItemSchema = z.object({
  id: z.string(),
  code: z.string(),
  status: z.enum([...storyStatuses, "declined", "merged"]),
});
export const keptItemSchema = receivedItemSchema.extend({ is_new: z.boolean() });

export const intakeHookSchema = z.object({
  id: z.string(),
  key_hash: z.string(),
  created_by_name: z.string().nullable(),
  created_at: z.string(),
  last_item_at: z.string().nullable(),
});
