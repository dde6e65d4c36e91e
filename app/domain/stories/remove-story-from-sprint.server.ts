import { type Story, type StoryIdInput, storySchema } from "~/contract/story";
import { type Actor, callAs } from "~/db/rpc.server";

/** Takes a story back to the backlog (specification: Ordering rules 2). */
export function removeStoryFromSprint(actor: Actor, input: StoryIdInput): Promise<Story> {
  return callAs(actor, "remove_story_from_sprint", { p_story_id: input.story_id }, storySchema);
}
