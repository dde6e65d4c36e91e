import { z } from "zod";
import { idSchema } from "~/contract/text";
import { storySchema } from "./contract";

const placeSchema = z.object({ id: z.string(), code: z.string(), title: z.string() });

/** Stories in a product's triage, PBIs that can take them, and stories to merge them into. */
export const triageSchema = z.object({
  stories: z.array(
    storySchema.extend({
      origin: z.enum(["hook", "forge"]).nullable(),
      external_url: z.string().nullable(),
    }),
  ),
  pbis: z.array(placeSchema),
  targets: z.array(placeSchema),
});
export type Triage = z.infer<typeof triageSchema>;

export const acceptStoryInput = z.object({ story_id: idSchema, pbi_id: idSchema.optional() });

export const mergeStoryInput = z.object({ story_id: idSchema, into: idSchema });
