import { type AssignStoryInput, type Story, storySchema } from "~/contract/story";
import { type Actor, callAs } from "~/db/rpc.server";

/** Assigns a story to a member, or to nobody (specification: Story). */
export function assignStory(actor: Actor, input: AssignStoryInput): Promise<Story> {
  return callAs(
    actor,
    "assign_story",
    { p_story_id: input.story_id, p_assignee_id: input.assignee_id },
    storySchema,
  );
}
