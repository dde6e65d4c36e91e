import { z } from "zod";
import type { StoryIdInput } from "~/contract/story";
import { type Actor, callAs } from "~/db/rpc.server";

/** Deletes a story with its tasks and log. */
export function deleteStory(actor: Actor, input: StoryIdInput): Promise<{ id: string }> {
  return callAs(
    actor,
    "delete_story",
    { p_story_id: input.story_id },
    z.object({ id: z.string() }),
  );
}
